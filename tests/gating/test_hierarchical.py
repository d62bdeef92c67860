"""Words, turns, answer: agreement with torch's units put together, padding at both levels, the length of the path."""

from itertools import chain

import pytest
import torch
from benchmarks.twin import twin
from torch import nn

from attend.gating.hierarchical import HRED, FlatEncoderDecoder, flatten
from attend.gating.lstm import LSTM

V, D, H, C = 11, 3, 5, 4
TURNS = [[[3, 1, 4], [1, 5], [9, 2, 6, 5, 0]], [[3, 5, 8]], [[9, 7], [9, 3, 2, 3]]]
"""Three dialogues of three, one and two turns."""

ANSWER = torch.tensor([[2, 7, 0], [1, 8, 0], [2, 8, 1]])


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def shaken(model):
    """The model with other weights, no bias zero, so that a forgotten one is noticed."""
    with torch.no_grad():
        for p in model.parameters():
            p.add_(0.4 * torch.randn(p.shape, generator=seeded(p.numel())))
    return model


def hierarchical():
    torch.manual_seed(0)
    return shaken(HRED(V, D, H, C))


def flat():
    torch.manual_seed(0)
    return shaken(FlatEncoderDecoder(V, D, H, C))


def padded(dialogues, before=0, between=0, behind=0, front=0, junk=7):
    """Words and mask (B, N, T), with unseen turns and unseen words of `junk` wherever one asks for them."""
    empty = [[]]
    rows = [
        empty * before + [turn for spoken in d for turn in ([spoken] + empty * between)] + empty * behind
        for d in dialogues
    ]
    N, T = max(len(row) for row in rows), front + max(len(turn) for row in rows for turn in row)
    words = torch.full((len(rows), N, T), junk)
    mask = torch.zeros(len(rows), N, T, dtype=torch.bool)
    for b, row in enumerate(rows):
        for n, turn in enumerate(row):
            words[b, n, front : front + len(turn)] = torch.tensor(turn, dtype=torch.long)
            mask[b, n, front : front + len(turn)] = True
    return words, mask


def torch_gru(unit):
    return twin(nn.GRU, unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)


def torch_linear(readout):
    made = nn.Linear(readout.weight.shape[1], readout.weight.shape[0])
    made.load_state_dict({"weight": readout.weight.detach(), "bias": readout.bias.detach()})
    return made


class ByTorch(nn.Module):
    """The same machine of torch's own parts: a loop over dialogues and turns, no padding anywhere."""

    def __init__(self, model):
        super().__init__()
        self.words = nn.Embedding.from_pretrained(model.embed.weight.detach().clone(), freeze=False)
        self.reader, self.unit = torch_gru(model.encoder), torch_gru(model.decoder)
        self.context = torch_gru(model.context_rnn) if model.context_rnn is not None else None
        self.begin, self.readout = torch_linear(model.init_hidden), torch_linear(model.head)

    def encode(self, dialogue):
        if self.context is None:
            return self.reader(self.words(torch.tensor([list(chain(*dialogue))])))[1][0]
        summaries = [self.reader(self.words(torch.tensor([turn])))[1][0] for turn in dialogue]
        return self.context(torch.stack(summaries, dim=1))[1][0]

    def forward(self, dialogues, answers):
        scores = []
        for dialogue, answer in zip(dialogues, answers, strict=True):
            context = self.encode(dialogue)
            before = torch.tensor([[0, *answer[:-1].tolist()]])
            heard = torch.cat([self.words(before), context.expand(1, len(answer), -1)], dim=2)
            scores.append(self.readout(self.unit(heard, torch.tanh(self.begin(context))[None])[0]))
        return torch.cat(scores)


@pytest.mark.parametrize("build", [hierarchical, flat])
def test_agrees_with_torch_turn_by_turn_without_padding(build):
    model = build()
    theirs = ByTorch(model)
    got, wanted = model(*padded(TURNS), ANSWER), theirs(TURNS, ANSWER)
    torch.testing.assert_close(got, wanted, atol=1e-6, rtol=1e-5)
    got.square().sum().backward()
    wanted.square().sum().backward()
    pairs = [(model.embed.weight, theirs.words.weight)]
    units = [(model.encoder, theirs.reader), (model.decoder, theirs.unit)]
    if theirs.context is not None:
        units.append((model.context_rnn, theirs.context))
    for ours, other in units:
        pairs += [
            (ours.from_input.weight, other.weight_ih_l0),
            (ours.from_hidden.weight, other.weight_hh_l0),
            (ours.from_input.bias, other.bias_ih_l0),
        ]
    for ours, other in ((model.init_hidden, theirs.begin), (model.head, theirs.readout)):
        pairs += [(ours.weight, other.weight), (ours.bias, other.bias)]
    assert {id(ours) for ours, _ in pairs} == {id(p) for p in model.parameters()}
    for ours, other in pairs:
        torch.testing.assert_close(ours.grad, other.grad, atol=1e-5, rtol=1e-4)


PADDINGS = [{"before": 2}, {"between": 1}, {"behind": 2}, {"front": 3}, {"before": 1, "behind": 1, "front": 1}]


@pytest.mark.parametrize("build", [hierarchical, flat])
@pytest.mark.parametrize("where", PADDINGS)
def test_padding_changes_nothing_at_either_level(build, where):
    model = build()
    bare = model(*padded(TURNS), ANSWER)
    bare.square().sum().backward()
    wanted = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    more = model(*padded(TURNS, **where, junk=10), ANSWER)
    torch.testing.assert_close(more, bare, atol=1e-6, rtol=1e-5)
    more.square().sum().backward()
    for p, gradient in zip(model.parameters(), wanted, strict=True):
        torch.testing.assert_close(p.grad, gradient, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("build", [hierarchical, flat])
def test_no_gradient_reaches_a_word_that_only_padding_holds(build):
    model = build()
    model.encode(*padded(TURNS, before=1, between=1, front=2, junk=10)).sum().backward()
    assert model.embed.weight.grad[10].eq(0).all()
    assert model.embed.weight.grad[9].ne(0).any()


@torch.no_grad()
def test_an_lstm_may_read_the_row():
    torch.manual_seed(0)
    model = FlatEncoderDecoder(V, D, H, C, layer=LSTM(D, C))
    together = model.encode(*padded(TURNS))
    alone = torch.cat([model.encode(*padded([dialogue])) for dialogue in TURNS])
    torch.testing.assert_close(together, alone)


def reach(model, length):
    """How far word 9 moves the context from three turns ago: all gates stand at one half, other words say nothing."""
    units = [model.encoder, model.context_rnn] if model.context_rnn is not None else [model.encoder]
    with torch.no_grad():
        model.embed.weight[1] = 0
        for unit in units:
            unit.from_input.weight[: 2 * unit.hidden_size] = 0
            unit.from_hidden.weight.zero_()
            unit.from_input.bias.zero_()
    words, mask = padded([[[1] * (length - 1) + [9]] + [[1] * length] * 3])
    model.encode(words, mask).sum().backward()
    return model.embed.weight.grad[9].norm().item()


def test_the_path_is_as_long_as_there_are_turns():
    assert reach(hierarchical(), 4) > 1e-4
    assert reach(hierarchical(), 40) == pytest.approx(reach(hierarchical(), 4), rel=1e-5)
    assert reach(flat(), 8) == pytest.approx(reach(flat(), 4) / 2**12, rel=1e-3)


@torch.no_grad()
def test_the_context_is_heard_at_every_step():
    model = hierarchical()
    model.init_hidden.weight.zero_()  # from now on only what comes in at the steps can tell the contexts apart
    model.decoder.from_hidden.weight.zero_()
    model.decoder.from_input.weight.data[H : 2 * H] = 0
    model.decoder.from_input.bias.data[H : 2 * H] = -30  # and nothing is kept from step to step
    words, mask = padded(TURNS)
    one, other, _ = model(words, mask, ANSWER * 0)
    assert ((one - other).abs().amax(-1) > 1e-3).all()


@torch.no_grad()
def test_free_running_reads_its_own_words():
    model = hierarchical()
    words, mask = padded(TURNS)
    written = model.generate(words, mask, 6)
    forced = model(words, mask, written).argmax(-1)
    for row, other in zip(written.tolist(), forced.tolist(), strict=True):
        end = row.index(0) + 1 if 0 in row else len(row)
        assert row[:end] == other[:end]
        assert set(row[end:]) <= {0}


@torch.no_grad()
def test_writing_stops_at_end():
    model = HRED(4, 2, 3, 2, end=3)
    model.head.weight.zero_()
    words, mask = padded([[[1]]])
    model.head.bias.copy_(torch.tensor([0.0, 1.0, 0.0, 2.0]))
    assert model.generate(words, mask, 3).tolist() == [[3, 3, 3]]
    model.head.bias[3] = 0
    assert model.generate(words, mask, 3).tolist() == [[1, 1, 1]]


def test_flatten_keeps_the_order_of_what_is_visible():
    row, there = flatten(*padded(TURNS, before=1, between=2, front=1))
    assert [r[t].tolist() for r, t in zip(row, there, strict=True)] == [list(chain(*d)) for d in TURNS]
    assert row.shape[1] == 10


@pytest.mark.parametrize("build", [hierarchical, flat])
def test_a_dialogue_without_a_word_is_refused(build):
    words, mask = padded(TURNS)
    mask[1] = False
    with pytest.raises(ValueError, match=r"mask: got .*at least one visible word"):
        build().encode(words, mask)


def test_an_end_that_is_no_word_is_refused():
    with pytest.raises(ValueError, match="end: got 11"):
        HRED(V, D, H, C, end=11)


def calls():
    HIERARCHICAL, FLAT = HRED(6, 2, 3, 4), FlatEncoderDecoder(6, 2, 3, 4)
    SIZES = {"vocab_size": 6, "embedding_size": 2, "hidden_size": 3, "context_size": 4, "end": 1}
    WORDS = torch.tensor([[[1, 2, 0], [3, 0, 0]], [[4, 5, 0], [0, 0, 0]]])
    MASK = torch.tensor([[[True, True, True], [True, True, False]], [[True, True, True], [False, False, False]]])
    DIALOGUE = {"words": WORDS, "mask": MASK}
    ANSWER = torch.tensor([[1, 0], [2, 3]])
    return {
        HRED: SIZES,
        HIERARCHICAL.encode: DIALOGUE,
        HIERARCHICAL.forward: {**DIALOGUE, "answer": ANSWER},
        HIERARCHICAL.generate: {**DIALOGUE, "steps": 2},
        FlatEncoderDecoder: {**SIZES, "layer": LSTM(2, 4)},
        FLAT.encode: DIALOGUE,
        flatten: DIALOGUE,
    }


def good():
    return {
        HRED: {"end": {"zero"}},
        HRED(6, 2, 3, 4).forward: {"answer": {"width"}},
        FlatEncoderDecoder: {"end": {"zero"}},
    }
