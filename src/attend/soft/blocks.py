"""Scaled dot-product attention over blocks of keys, with a running softmax: no table of all weights is ever made.

Source   Dao et al. 2022, arXiv:2205.14135, algorithm 1; Milakov & Gimelshein 2018, arXiv:1805.02867 (the running
         softmax).
Departs  blocks of keys only; the gradient is autograd's, which keeps the weights of every block.
Agrees   torch.nn.functional.scaled_dot_product_attention, in values and gradients (tests/soft/test_blocks.py).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Mask, Positive


@checked
def attention_in_blocks(
    query: Float[Tensor, "B T D"],
    key: Float[Tensor, "B S D"],
    value: Float[Tensor, "B S V"],
    mask: Mask["#B #T S"] | None = None,
    block: Positive = 128,
) -> Float[Tensor, "B T V"]:
    """softmax(Q Kᵀ / √D) V, `block` keys at a time; True in `mask` = may be attended to."""
    largest = torch.full_like(query[..., :1], torch.finfo(query.dtype).min)  # (B, T, 1), of all scores so far
    total, output = torch.zeros_like(largest), query.new_zeros(*query.shape[:2], value.shape[2])
    for start in range(0, key.shape[1], block):
        part = slice(start, start + block)
        scores = query @ key[:, part].mT / math.sqrt(query.shape[2])  # (B, T, block)
        if mask is not None:
            scores = scores.masked_fill(~mask[..., part], -math.inf)
        now = torch.maximum(largest, scores.detach().amax(2, keepdim=True))
        shrink, weights = torch.exp(largest - now), torch.exp(scores - now)
        total = total * shrink + weights.sum(2, keepdim=True)
        output = output * shrink + weights @ value[:, part]
        largest = now
    return output / total
