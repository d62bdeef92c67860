"""Attention through torch's fused kernel, torch.nn.functional.scaled_dot_product_attention.

A mask means the same there as in attend.transformers: True = may be attended to. The kernel cannot be differentiated
twice; who needs second derivatives is told so, and computes with the listings.

Agrees   attend.transformers.heads, blocks and tiny_transformer in values and gradients, under masks, in both precisions
         and under autocast (tests/fast/test_attention.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import linear, scaled_dot_product_attention

from attend.core.expect import checked
from attend.core.types import Mask
from attend.transformers.heads import KVCache, MultiHeadAttention
from attend.transformers.tiny_transformer import CausalSelfAttention


def fused_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Tensor | None = None,
    causal: bool = False,
    scale: float | None = None,
) -> Tensor:
    """The output of attend.transformers.self_attention.attention; no weights are made.

    Scores are multiplied by `scale`, 1 / √d_head where it is None. Its second derivatives raise RuntimeError.
    """
    output = scaled_dot_product_attention(query, key, value, mask, is_causal=causal, scale=scale)
    if output.requires_grad:
        output.register_hook(_refuse_second_derivatives)
    return output


def _refuse_second_derivatives(gradient: Tensor) -> None:
    if torch.is_grad_enabled():  # as it is under create_graph=True
        raise RuntimeError(
            "torch's fused attention has no second derivatives: compute them with the model as it was "
            "before attend.fast.fast(model)"
        )


class FastMultiHeadAttention(MultiHeadAttention):
    """MultiHeadAttention with a fused kernel, and for self-attention one product for queries, keys and values."""

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.d_model}"],
        memory: Float[Tensor, "B S {self.d_model}"] | None = None,
        mask: Mask["#B #heads #T S"] | Mask["T S"] | None = None,
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """Attend from every position of x to those of `memory`, or of x itself."""
        if memory is None:
            query, key, value = (self._split(part) for part in _side_by_side(self, x))
        else:
            query, (key, value) = self._split(self.q_proj(x)), self.keys_values(memory)
        output = fused_attention(query, key, value, mask)  # (B, heads, T, d_head)
        return self.out_proj(output.transpose(1, 2).flatten(2))

    def attend(self, x: Tensor, cache: KVCache, mask: Tensor | None = None) -> tuple[Tensor, None]:
        """The output for x; no weights are made."""
        output = fused_attention(self._split(self.q_proj(x)), cache.key, cache.value, mask)
        return self.out_proj(output.transpose(1, 2).flatten(2)), None


class FastCausalSelfAttention(CausalSelfAttention):
    """CausalSelfAttention with a fused kernel that leaves out what the mask would hide."""

    causal, scale = True, None

    @checked
    def forward(self, x: Float[Tensor, "B T {self.d_model}"]) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once."""
        parts = _side_by_side(self, x)
        query, key, value = (part.unflatten(2, (self.num_heads, -1)).transpose(1, 2) for part in parts)
        output = fused_attention(query, key, value, causal=self.causal, scale=self.scale)  # (B, heads, T, d_head)
        return self.out_proj(output.transpose(1, 2).flatten(2))


def _side_by_side(attn: MultiHeadAttention | CausalSelfAttention, x: Tensor) -> tuple[Tensor, ...]:
    """Queries, keys and values of all heads (B, T, ·) in one product."""
    projections = attn.q_proj, attn.k_proj, attn.v_proj
    weight, bias = torch.cat([p.weight for p in projections]), torch.cat([p.bias for p in projections])
    return linear(x, weight, bias).split([p.out_features for p in projections], dim=2)
