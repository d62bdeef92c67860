"""Multi-head attention: several attentions side by side, each with queries, keys and values of its own.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.2.2; lectures erdem2021attention, hu2019lecture16.
Departs  nothing.
Agrees   torch.nn.MultiheadAttention, masked or not, in values and gradients (tests/transformers/test_heads.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.core.types import Mask, Positive
from attend.transformers.self_attention import attention


class KVCache(NamedTuple):
    """Keys and values of every head, computed once however many queries will meet them: (B, heads, S, d_head)."""

    key: Float[Tensor, "B heads S d_key"]
    value: Float[Tensor, "B heads S d_value"]


class MultiHeadAttention(nn.Module):
    """Self-attention over x, or cross-attention from x to a memory, by `num_heads` heads of d_model / num_heads.

    A mask is broadcast to (B, heads, T, S); True = may be attended to (torch.nn.MultiheadAttention has it the other
    way round). Weights start uniform in ±1/√(inputs), biases at 0. Raises ValueError unless num_heads divides d_model.
    """

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, generator: torch.Generator | None = None):
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a number that divides d_model = {d_model}")
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.q_proj = nn.Linear(d_model, d_model)  # for all heads at once
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew."""
        for proj in (self.q_proj, self.k_proj, self.v_proj, self.out_proj):
            linear_(proj, generator)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.d_model}"],
        memory: Float[Tensor, "B S {self.d_model}"] | None = None,
        mask: Mask["#B #heads #T S"] | Mask["T S"] | None = None,
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """Attend from every position of x to those of `memory`, or of x itself."""
        cache = self.keys_values(x if memory is None else memory)
        return self.attend(x, cache, mask)[0]

    def keys_values(self, memory: Float[Tensor, "B S {self.d_model}"]) -> KVCache:
        """What can be attended to, as each head sees it."""
        key, value = self.k_proj(memory), self.v_proj(memory)
        return KVCache(self._split(key), self._split(value))

    def attend(
        self,
        x: Float[Tensor, "B T {self.d_model}"],
        cache: KVCache,
        mask: Mask["#B #heads #T S"] | Mask["T S"] | None = None,
    ) -> tuple[Float[Tensor, "B T {self.d_model}"], Float[Tensor, "B heads T S"]]:
        """The output for x, and the attention weights of every head."""
        query = self._split(self.q_proj(x))  # (B, heads, T, d_head)
        output, weights = attention(query, cache.key, cache.value, mask)
        output = output.transpose(1, 2).flatten(2)  # (B, T, d_model)
        return self.out_proj(output), weights  # weights: (B, heads, T, S)

    def _split(self, x: Tensor) -> Tensor:
        x = x.unflatten(-1, (self.num_heads, -1))  # (B, T, heads, d_head)
        return x.transpose(1, 2)  # (B, heads, T, d_head)
