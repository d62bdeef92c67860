"""The attention weights of every head of a Transformer: in the encoder, in the decoder and between them.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.2.3 (three uses of attention) and its appendix.
Departs  nothing: the weights are computed from what each layer was given; the model's own values stay as they are.
Agrees   the attention of single steps of decoding (tests/transformers/test_attention_weights.py).
"""

from copy import deepcopy
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Mask, Tokens
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.translator import Transformer

LAYERS = ("encoder", "decoder", "cross")
"""The three kinds of attention layer: self-attention of the encoder, of the decoder, and cross-attention."""


class AttentionWeights(NamedTuple):
    """Attention weights by layer and head, a row for each position that attends.

    `encoder` is (B, layers, heads, S, S), `decoder` (B, layers, heads, T, T), and `cross` (B, layers, heads, T, S).
    """

    encoder: Float[Tensor, "B N heads S S"]
    decoder: Float[Tensor, "B N heads T T"]
    cross: Float[Tensor, "B N heads T S"]


@checked
@torch.no_grad()
def attention_weights(
    model: Transformer,
    source: Tokens["B S", "model.source_embedding.num_embeddings"],
    mask: Mask["B S"],
    target: Tokens["B T", "model.target_embedding.num_embeddings"],
) -> AttentionWeights:
    """The weights of all heads while the model is given the true tokens of `target`."""
    found: dict[str, list[Tensor]] = {kind: [] for kind in LAYERS}

    def record(kind: str):
        def hook(layer: MultiHeadAttention, args: tuple, kwargs: dict, _: Tensor) -> None:
            x, memory, seen = (*args, None, None)[:3]
            cache = layer.keys_values(x if memory is None else memory)
            found[kind].append(MultiHeadAttention.attend(layer, x, cache, kwargs.get("mask", seen))[1])

        return hook

    handles = [
        layer.register_forward_hook(record(kind), with_kwargs=True) for kind in LAYERS for layer in _layers(model, kind)
    ]
    try:
        model(source, mask, target)
    finally:
        for handle in handles:
            handle.remove()
    return AttentionWeights(*(torch.stack(weights, dim=1) for weights in found.values()))


@checked
def uniform_attention(model: Transformer, kind: Literal["encoder", "decoder", "cross"]) -> Transformer:
    """A copy of the model in which all attention layers of one kind attend uniformly to all that they may.

    Queries of 0 give equal scores, and equal scores equal weights.
    """
    copy = deepcopy(model)
    with torch.no_grad():
        for layer in _layers(copy, kind):
            layer.q_proj.weight.zero_()
            layer.q_proj.bias.zero_()
    return copy


def _layers(model: Transformer, kind: str) -> list[MultiHeadAttention]:
    if kind == "encoder":
        return [block.self_attn for block in model.encoder]
    return [block.cross_attn if kind == "cross" else block.self_attn for block in model.decoder]
