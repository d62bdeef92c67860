"""torch's units with the weights of ours, to be compared in values, gradients and time."""

import torch
from torch import Tensor, nn

from attend.transformers.blocks import DecoderBlock, EncoderBlock
from attend.transformers.heads import MultiHeadAttention


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


def attention_twin(ours: MultiHeadAttention) -> nn.MultiheadAttention:
    """torch's attention of many heads with copies of the weights of ours, in their precision."""
    theirs = nn.MultiheadAttention(ours.d_model, ours.num_heads, batch_first=True, dtype=ours.q_proj.weight.dtype)
    projections = ours.q_proj, ours.k_proj, ours.v_proj
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([linear.weight for linear in projections]))
        theirs.in_proj_bias.copy_(torch.cat([linear.bias for linear in projections]))
    theirs.out_proj.load_state_dict(ours.out_proj.state_dict())
    return theirs


def layer_twin(ours: EncoderBlock | DecoderBlock) -> nn.TransformerEncoderLayer | nn.TransformerDecoderLayer:
    """torch's layer with copies of the weights of ours, in their precision, and without dropout."""
    encodes = isinstance(ours, EncoderBlock)
    kind = nn.TransformerEncoderLayer if encodes else nn.TransformerDecoderLayer
    attentions = {"self_attn": ours.self_attn} | ({} if encodes else {"multihead_attn": ours.cross_attn})
    d_ff, dtype = ours.feed_forward.linear1.out_features, ours.feed_forward.linear1.weight.dtype
    options = {"dropout": 0.0, "batch_first": True, "norm_first": ours.norm == "pre"}
    theirs = kind(ours.d_model, ours.self_attn.num_heads, d_ff, dtype=dtype, **options)
    for name, attention in attentions.items():
        getattr(theirs, name).load_state_dict(attention_twin(attention).state_dict())
    parts = {"linear1": ours.feed_forward.linear1, "linear2": ours.feed_forward.linear2}
    parts |= {name: part for name, part in ours.named_children() if isinstance(part, nn.LayerNorm)}
    for name, part in parts.items():
        getattr(theirs, name).load_state_dict(part.state_dict())
    return theirs
