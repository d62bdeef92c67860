"""A translator with a knob for each row of an ablation: take a part away, or make it smaller, and nothing else changes.

Source   Vaswani et al. 2017, arXiv:1706.03762, table 3 (heads, keys, blocks, widths, dropout, learned positions).
Departs  pre-norm; the two embeddings and the output layer have weights of their own; two knobs that the paper's table
         does not have: no positions at all, and no residual connections.
Agrees   attend.transformers.translator.Transformer with the same weights (tests/transformers/test_ablated.py).
"""

import math
from typing import Annotated, Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import Below, DropRate, Mask, Plural, Positive, Tokens

# Listings have at most 76 columns once annotations are gone.
# fmt: off

class Attention(nn.Module):
    """Multi-head attention whose queries and keys have `d_key` numbers in each head."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, d_key: Positive):
        super().__init__()
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of d_model = {d_model}")
        self.num_heads = num_heads
        self.q_proj = nn.Linear(d_model, num_heads * d_key)
        self.k_proj = nn.Linear(d_model, num_heads * d_key)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.v_proj.in_features}"],
        memory: Float[Tensor, "B S {self.v_proj.in_features}"],
        mask: Mask["#B #heads #T S"] | Mask["T S"],
    ) -> Float[Tensor, "B T D"]:
        """The positions of `x` ask those of `memory`."""
        parts = self.q_proj(x), self.k_proj(memory), self.v_proj(memory)
        q, k, v = (
            part.unflatten(2, (self.num_heads, -1)).transpose(1, 2) for part in parts
        )  # (B, heads, T or S, …)
        read = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.out_proj(read.transpose(1, 2).flatten(2))


class Block(nn.Module):
    """A pre-norm block: self-attention, cross-attention where there is a `cross`, and a feed-forward network."""

    @checked
    def __init__(
        self,
        d_model: Positive,
        num_heads: Positive,
        d_key: Positive,
        d_ff: Positive,
        dropout: DropRate = 0.0,
        residual: bool = True,
        cross: bool = False,
    ):
        super().__init__()
        self.self_attn = Attention(d_model, num_heads, d_key)
        self.cross_attn = Attention(d_model, num_heads, d_key) if cross else None
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2 + cross))
        self.dropout, self.residual = nn.Dropout(dropout), residual

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.self_attn.v_proj.in_features}"],
        mask: Mask["#B #heads #T T"] | Mask["T T"],
        memory: Float[Tensor, "B S {self.self_attn.v_proj.in_features}"] | None = None,
        memory_mask: Mask["#B #heads #T S"] | None = None,
    ) -> Float[Tensor, "B T D"]:
        """All positions at once."""
        z = self.norms[0](x)
        x = self.add(x, self.self_attn(z, z, mask))
        if self.cross_attn is not None:
            x = self.add(x, self.cross_attn(self.norms[1](x), memory, memory_mask))
        return self.add(x, self.feed_forward(self.norms[-1](x)))

    def add(self, x: Tensor, result: Tensor) -> Tensor:
        """The residual connection; without one the result takes the place of x."""
        return x + self.dropout(result) if self.residual else self.dropout(result)


@checked
def sinusoids(T: Positive, D: Positive) -> Float[Tensor, "T D"]:
    """A sine and a cosine of the position for each of D / 2 frequencies."""
    angle = torch.arange(T)[:, None] / 10_000 ** (torch.arange(0, D, 2) / D)
    return torch.stack([angle.sin(), angle.cos()], dim=2).flatten(1)


class AblatedTranslator(nn.Module):
    """An encoder and a decoder of `num_layers` blocks each, with a knob for each row of the table.

    `forward` gives the logits (B, T, V) of every token of the target, the true ones before it given; token `end` starts
    every answer. A boolean mask (B, S) is True where the source has a token. Without `d_key` the heads share the width.
    Raises ValueError unless num_heads divides d_model, an even number.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        d_model: Positive = 32,
        num_heads: Positive = 4,
        d_key: Positive | None = None,
        d_ff: Positive = 128,
        num_layers: Positive = 2,
        dropout: DropRate = 0.1,
        positions: Literal["sinusoids", "learned", "none"] = "sinusoids",
        residual: bool = True,
        end: Annotated[int, Below("target_vocab")] = 0,
    ):
        super().__init__()
        self.end = end
        self.source_embedding = nn.Embedding(source_vocab, d_model)
        self.target_embedding = nn.Embedding(target_vocab, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        table = torch.zeros(64, d_model)
        if positions == "sinusoids":
            table = sinusoids(64, d_model)
        if positions == "learned":
            nn.init.normal_(table, std=0.5**0.5)  # as large as sines and cosines
        self.position = nn.Parameter(table, requires_grad=positions == "learned")
        block = (
            d_model, num_heads, d_key or d_model // num_heads, d_ff, dropout, residual
        )
        self.encoder = nn.ModuleList(Block(*block) for _ in range(num_layers))
        self.decoder = nn.ModuleList(
            Block(*block, cross=True) for _ in range(num_layers)
        )
        self.encoder_norm, self.decoder_norm = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.dropout, self.output = nn.Dropout(dropout), nn.Linear(d_model, target_vocab)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.source_embedding.num_embeddings"],
        mask: Mask["B S"],
        target: Tokens["B T", "self.target_embedding.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of every token of `target`, the true tokens before it given (teacher forcing)."""
        mask, T = mask[:, None, None], target.shape[1]
        memory = self.embed(self.source_embedding, source)
        for block in self.encoder:
            memory = block(memory, mask)
        memory = self.encoder_norm(memory)
        before = F.pad(target, (1, 0), value=self.end)[:, :-1]  # one place to the right
        x = self.embed(self.target_embedding, before)
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        for block in self.decoder:
            x = block(x, causal, memory, mask)
        return self.output(self.decoder_norm(x))

    def embed(self, embedding: nn.Embedding, tokens: Tensor) -> Float[Tensor, "B T D"]:
        """Each token's vector, and that of its position added to it."""
        x = embedding(tokens) * math.sqrt(embedding.embedding_dim)
        return self.dropout(x + self.position[: tokens.shape[1]])
