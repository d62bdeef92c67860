"""A Transformer with one of its parts changed or taken away, to see what the part was worth.

Source   Vaswani et al. 2017, arXiv:1706.03762, table 3 (rows B); the other changes are ours.
Departs  nothing else: without a change it is attend.transformers.translator.Transformer, weight for weight.
Agrees   the Transformer itself, where nothing is changed (tests/transformers/test_ablated.py).
"""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Mask, Positive
from attend.transformers.blocks import DecoderBlock, EncoderBlock
from attend.transformers.heads import KVCache, MultiHeadAttention
from attend.transformers.translator import Transformer


class PlainEncoderBlock(EncoderBlock):
    """A pre-norm EncoderBlock without residual connections."""

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.d_model}"], mask: Mask["#B #heads #T T"] | Mask["T T"] | None = None
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """What each part makes of x takes its place."""
        x = self.dropout(self.self_attn(self.norm1(x), mask=mask))
        return self.dropout(self.feed_forward(self.norm2(x)))


class PlainDecoderBlock(DecoderBlock):
    """A pre-norm DecoderBlock without residual connections."""

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.d_model}"],
        memory: Float[Tensor, "B S {self.d_model}"],
        mask: Mask["#B #heads #T T"] | Mask["T T"] | None = None,
        memory_mask: Mask["#B #heads #T S"] | Mask["T S"] | None = None,
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """What each part makes of x takes its place."""
        x = self.dropout(self.self_attn(self.norm1(x), mask=mask))
        x = self.dropout(self.cross_attn(self.norm2(x), memory, memory_mask))
        return self.dropout(self.feed_forward(self.norm3(x)))

    def step(
        self, x: Tensor, past: KVCache | None, memory: KVCache, memory_mask: Tensor | None = None
    ) -> tuple[Tensor, KVCache]:
        """One more position."""
        x = self.norm1(x)
        now = self.self_attn.keys_values(x)
        if past is not None:
            now = KVCache(torch.cat([past.key, now.key], dim=2), torch.cat([past.value, now.value], dim=2))
        x = self.self_attn.attend(x, now)[0]
        x = self.cross_attn.attend(self.norm2(x), memory, memory_mask)[0]
        return self.feed_forward(self.norm3(x)), now


class AblatedTransformer(Transformer):
    """A Transformer with heads whose keys have `d_key` numbers, or without residual connections, or without norms.

    All other arguments are those of Transformer.
    """

    @checked
    def __init__(
        self,
        source_vocab: int,
        target_vocab: int,
        d_key: Positive | None = None,
        residual: bool = True,
        normalise: bool = True,
        generator: torch.Generator | None = None,
        **options: Any,
    ):
        super().__init__(source_vocab, target_vocab, **options)
        if d_key is not None:
            for attn in [part for part in self.modules() if isinstance(part, MultiHeadAttention)]:
                width = attn.num_heads * d_key
                attn.q_proj, attn.k_proj = nn.Linear(self.d_model, width), nn.Linear(self.d_model, width)
        if not residual:
            for block in self.encoder:
                block.__class__ = PlainEncoderBlock
            for block in self.decoder:
                block.__class__ = PlainDecoderBlock
        if not normalise:
            for part in list(self.modules()):
                for name, child in list(part.named_children()):
                    if isinstance(child, nn.LayerNorm):
                        setattr(part, name, nn.Identity())
        self.reset_parameters(generator)
