"""The blocks of a Transformer with all options: dropout, the norm before or after a sum, one position at a time.

Source   Vaswani et al. 2017, arXiv:1706.03762, sections 3.1 and 3.3 (post-norm); Xiong et al. 2020, arXiv:2002.04745
         (pre-norm).
Departs  nothing.
Agrees   torch.nn.TransformerEncoderLayer and TransformerDecoderLayer, in values and gradients
         (tests/transformers/test_blocks.py).
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import linear_
from attend.core.types import DropRate, Mask, Positive
from attend.transformers import tiny_translator
from attend.transformers.heads import KVCache


class EncoderBlock(tiny_translator.EncoderBlock):
    """Self-attention, then a feed-forward network, each with a residual connection and layer normalisation.

    `norm` "pre" normalises what goes into each of the two, "post" the sum after it. With a causal mask this is also
    the block of a decoder-only Transformer. Raises ValueError as MultiHeadAttention does.
    """

    @checked
    def __init__(
        self,
        d_model: Positive,
        num_heads: Positive,
        d_ff: Positive,
        dropout: DropRate = 0.0,
        norm: Literal["pre", "post"] = "pre",
        generator: torch.Generator | None = None,
    ):
        super().__init__(d_model, num_heads, d_ff)
        self.d_model, self.norm = d_model, norm
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew."""
        self.self_attn.reset_parameters(generator)
        _reset(self.feed_forward, generator)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.d_model}"], mask: Mask["#B #heads #T T"] | Mask["T T"] | None = None
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once; `mask` is broadcast to (B, heads, T, T)."""
        if self.norm == "pre":
            x = x + self.dropout(self.self_attn(self.norm1(x), mask=mask))
            return x + self.dropout(self.feed_forward(self.norm2(x)))
        x = self.norm1(x + self.dropout(self.self_attn(x, mask=mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderBlock(tiny_translator.DecoderBlock):
    """Causal self-attention, cross-attention to the encoder's output, then a feed-forward network.

    Arguments as for EncoderBlock.
    """

    @checked
    def __init__(
        self,
        d_model: Positive,
        num_heads: Positive,
        d_ff: Positive,
        dropout: DropRate = 0.0,
        norm: Literal["pre", "post"] = "pre",
        generator: torch.Generator | None = None,
    ):
        super().__init__(d_model, num_heads, d_ff)
        self.d_model, self.norm = d_model, norm
        self.dropout = nn.Dropout(dropout)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw all weights anew."""
        for part in (self.self_attn, self.cross_attn):
            part.reset_parameters(generator)
        _reset(self.feed_forward, generator)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.d_model}"],
        memory: Float[Tensor, "B S {self.d_model}"],
        mask: Mask["#B #heads #T T"] | Mask["T T"] | None = None,
        memory_mask: Mask["#B #heads #T S"] | Mask["T S"] | None = None,
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once; `mask` is usually causal_mask(T), `memory_mask` hides the padding of the source."""
        if self.norm == "pre":
            x = x + self.dropout(self.self_attn(self.norm1(x), mask=mask))
            x = x + self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask))
            return x + self.dropout(self.feed_forward(self.norm3(x)))
        x = self.norm1(x + self.dropout(self.self_attn(x, mask=mask)))
        x = self.norm2(x + self.dropout(self.cross_attn(x, memory, memory_mask)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))

    def step(
        self, x: Float[Tensor, "B 1 D"], past: KVCache | None, memory: KVCache, memory_mask: Tensor | None = None
    ) -> tuple[Float[Tensor, "B 1 D"], KVCache]:
        """One more position, in evaluation: keys and values of the earlier ones (`past`) and of the source are kept."""
        pre = self.norm == "pre"
        now = self.self_attn.keys_values(self.norm1(x) if pre else x)
        if past is not None:
            now = KVCache(torch.cat([past.key, now.key], dim=2), torch.cat([past.value, now.value], dim=2))
        if pre:
            x = x + self.self_attn.attend(self.norm1(x), now)[0]  # nothing later is there to mask
            x = x + self.cross_attn.attend(self.norm2(x), memory, memory_mask)[0]
            return x + self.feed_forward(self.norm3(x)), now
        x = self.norm1(x + self.self_attn.attend(x, now)[0])
        x = self.norm2(x + self.cross_attn.attend(x, memory, memory_mask)[0])
        return self.norm3(x + self.feed_forward(x)), now


def _reset(feed_forward: tiny_translator.FeedForward, generator: torch.Generator | None) -> None:
    for linear in (feed_forward.linear1, feed_forward.linear2):
        linear_(linear, generator)
