"""torch's units with the weights of ours, to be compared in values, gradients and time."""

import torch
from torch import Tensor, nn

from attend.transformers.block import DecoderBlock, EncoderBlock, Normalise
from attend.transformers.multihead import MultiHead


def twin(kind: type[nn.RNNBase], W: Tensor, U: Tensor, b: Tensor) -> nn.RNNBase:
    """A unit of torch (nn.RNN, nn.GRU, nn.LSTM) with copies of W (·, D), U (·, H) and b, in their precision.

    The blocks of W, U and b stand on top of each other in torch's order; torch's second bias is zero.
    """
    unit = kind(W.shape[1], U.shape[1], batch_first=True, dtype=W.dtype)
    with torch.no_grad():
        for name, values in (("weight_ih_l0", W), ("weight_hh_l0", U), ("bias_ih_l0", b)):
            getattr(unit, name).copy_(values)
        unit.bias_hh_l0.zero_()
    return unit


def attention_twin(ours: MultiHead) -> nn.MultiheadAttention:
    """torch's attention of many heads with copies of the weights of ours, in their precision."""
    theirs = nn.MultiheadAttention(ours.D, ours.K, batch_first=True, dtype=ours.query.weight.dtype)
    maps = ours.query, ours.key, ours.value
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([map.weight for map in maps]))
        theirs.in_proj_bias.copy_(torch.cat([map.bias for map in maps]))
    _linear(theirs.out_proj, ours.mix)
    return theirs


def layer_twin(ours: EncoderBlock | DecoderBlock) -> nn.TransformerEncoderLayer | nn.TransformerDecoderLayer:
    """torch's layer with copies of the weights of ours, in their precision, and nothing left out by chance."""
    encodes = isinstance(ours, EncoderBlock)
    kind = nn.TransformerEncoderLayer if encodes else nn.TransformerDecoderLayer
    attentions = {"self_attn": ours.around} if encodes else {"self_attn": ours.back, "multihead_attn": ours.across}
    beside = [ours.beside_around] if encodes else [ours.beside_back, ours.beside_across]
    F, D = ours.think.widen.weight.shape
    options = {"dropout": 0.0, "batch_first": True, "norm_first": beside[0].order == "before"}
    theirs = kind(D, next(iter(attentions.values())).K, F, dtype=ours.think.widen.weight.dtype, **options)
    for name, attention in attentions.items():
        getattr(theirs, name).load_state_dict(attention_twin(attention).state_dict())
    for place, part in enumerate([*beside, ours.beside_think], start=1):
        norm_twin(getattr(theirs, f"norm{place}"), part.norm)
    _linear(theirs.linear1, ours.think.widen)
    _linear(theirs.linear2, ours.think.narrow)
    return theirs


@torch.no_grad()
def norm_twin(theirs: nn.LayerNorm, ours: Normalise) -> None:
    """Copy gain and bias of ours into torch's layer normalisation."""
    theirs.weight.copy_(ours.gain)
    theirs.bias.copy_(ours.bias)


@torch.no_grad()
def _linear(theirs: nn.Linear, ours: nn.Linear) -> None:
    theirs.weight.copy_(ours.weight)
    theirs.bias.copy_(ours.bias)
