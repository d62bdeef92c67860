"""Scaled dot-product attention, the causal mask, and self-attention with every quantity on the way.

Source   Vaswani et al. 2017, arXiv:1706.03762, eq. 1; lecture erdem2021attention (the example of two words).
Departs  nothing.
Agrees   torch.nn.functional.scaled_dot_product_attention, in values and gradients, and the lecture's numbers
         (tests/transformers/test_self_attention.py).
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Mask, Positive


@checked
def attention(
    query: Float[Tensor, "*B T D"],
    key: Float[Tensor, "*B S D"],
    value: Float[Tensor, "*B S V"],
    mask: Mask["*#B #T S"] | None = None,
) -> tuple[Float[Tensor, "*B T V"], Float[Tensor, "*B T S"]]:
    """softmax(Q Kᵀ / √D) V, and the weights that the values were mixed with.

    `mask` is broadcast to (..., T, S); True = may be attended to. Raises ValueError for a row of it that is all False.
    """
    scores = query @ key.mT / math.sqrt(query.shape[-1])  # (..., T, S)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)  # each row adds up to 1
    return weights @ value, weights


@checked
def causal_mask(
    T: Positive, S: Positive | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "T S"]:
    """Which of S positions the last T of them may attend to: themselves and all earlier ones. S is T by default."""
    S = T if S is None else S
    expect(S >= T, "S", S, f"at least as many positions as attend, T = {T}")
    return torch.ones(T, S, dtype=torch.bool, device=device).tril(S - T)


class SelfAttention(NamedTuple):
    """Self-attention step by step.

    Queries and keys (B, T, K), values (B, T, V); the scores of every query with every key and the same divided by √K,
    the attention weights, all (B, T, T); the output (B, T, V).
    """

    query: Float[Tensor, "B T K"]
    key: Float[Tensor, "B T K"]
    value: Float[Tensor, "B T V"]
    scores: Float[Tensor, "B T T"]
    scaled: Float[Tensor, "B T T"]
    weights: Float[Tensor, "B T T"]
    output: Float[Tensor, "B T V"]


@checked
def self_attention(
    x: Float[Tensor, "B T D"],
    w_query: Float[Tensor, "K D"],
    w_key: Float[Tensor, "K D"],
    w_value: Float[Tensor, "V D"],
    mask: Mask["#B #T T"] | Mask["T T"] | None = None,
) -> SelfAttention:
    """Attention of a sequence to itself, by three weight matrices (out, in), as nn.Linear keeps them."""
    query = x @ w_query.T  # (B, T, K)
    key = x @ w_key.T  # (B, T, K)
    value = x @ w_value.T  # (B, T, V)
    scores = query @ key.mT  # (B, T, T): row = position that attends
    scaled = scores / math.sqrt(query.shape[-1])
    masked = scaled if mask is None else scaled.masked_fill(~mask, -math.inf)
    weights = masked.softmax(dim=-1)  # (B, T, T), rows add up to 1
    return SelfAttention(query, key, value, scores, scaled, weights, weights @ value)
