"""Reader and writer put together from torch's own parts, with the very weights of ours."""

import torch
from torch import nn
from torch.func import functional_call
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attend.gating.bidirectional import Bidirectional
from attend.memory.supervision import shift_right
from attend.soft.seq2seq import ContextSeq2Seq, Outputs


def gru(unit, x, state=None, lengths=None):
    """torch.nn.GRU run with the weights of `unit` (attend.gating.gru): summaries (B, T, H) and the last one (B, H)."""
    theirs = nn.GRU(unit.input_size, unit.hidden_size, batch_first=True, dtype=x.dtype)
    names = {
        "weight_ih_l0": unit.from_input.weight,
        "weight_hh_l0": unit.from_hidden.weight,
        "bias_ih_l0": unit.from_input.bias,
        "bias_hh_l0": torch.zeros_like(unit.from_input.bias),
    }
    first = None if state is None else state[None]
    if lengths is None:
        summaries, last = functional_call(theirs, names, (x, first))
        return summaries, last[0]
    packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
    summaries, last = functional_call(theirs, names, (packed, first))
    return pad_packed_sequence(summaries, batch_first=True, total_length=x.shape[1])[0], last[0]


def encoded(unit, x, lengths):
    """The hidden states of an encoder and its final state; of a bidirectional one the two final states side by side."""
    if not isinstance(unit, Bidirectional):
        return gru(unit, x, lengths=lengths)
    back = torch.stack([torch.cat([row[:n].flip(0), row[n:]]) for row, n in zip(x, lengths, strict=True)])
    (ahead, first), (_, second) = gru(unit.ahead, x, lengths=lengths), gru(unit.back, back, lengths=lengths)
    return ahead, torch.cat([first, second], dim=1)


def answers(model, source, mask, target, scores=None):
    """What Seq2Seq answers; with `scores`, a function of (queries, keys), what ReadingSeq2Seq does."""
    said, last = encoded(model.encoder, F.embedding(source, model.embed_source.weight), mask.sum(1))
    told = F.embedding(shift_right(target, model.end), model.embed_target.weight)
    if isinstance(model, ContextSeq2Seq):
        told = torch.cat([told, last[:, None].expand(-1, target.shape[1], -1)], dim=2)
    summaries, _ = gru(model.decoder, told, last)
    if scores is None:
        return Outputs(F.linear(summaries, model.readout.weight, model.readout.bias), None)
    weights = F.softmax(scores(summaries, said) + torch.where(mask, 0, -torch.inf)[:, None], dim=2)
    context = torch.einsum("bts,bsk->btk", weights, said)
    mixed = torch.tanh(F.linear(torch.cat([context, summaries], 2), model.combine.weight, model.combine.bias))
    return Outputs(F.linear(mixed, model.readout.weight, model.readout.bias), weights)
