"""The Transformer of 2017 in one screen: an encoder and a decoder of pre-norm blocks, and a loss to train them by.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3; pre-norm as in Xiong et al. 2020, arXiv:2002.04745.
Departs  pre-norm, no dropout; the two embeddings and the output layer have weights of their own.
Agrees   attend.transformers.translator.Transformer with the same state dict, in values and gradients
         (tests/transformers/test_tiny_translator.py).
"""

import math
from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Below, Mask, Plural, Positive, Tokens
from attend.transformers.heads import MultiHeadAttention
from attend.transformers.positions import sinusoids


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, the same at every position."""

    @checked
    def __init__(self, d_model: Positive, d_ff: Positive):
        super().__init__()
        self.linear1 = nn.Linear(d_model, d_ff)
        self.linear2 = nn.Linear(d_ff, d_model)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.linear1.in_features}"]) -> Float[Tensor, "B T D"]:
        """Every position by itself."""
        return self.linear2(self.linear1(x).relu())


class EncoderBlock(nn.Module):
    """Self-attention, then a feed-forward network, each on normalised vectors and each with a residual connection."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, d_ff: Positive):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B S {self.feed_forward.linear1.in_features}"],
        mask: Mask["#B #heads #S S"] | Mask["S S"],
    ) -> Float[Tensor, "B S D"]:
        """All positions at once."""
        x = x + self.self_attn(self.norm1(x), mask=mask)
        return x + self.feed_forward(self.norm2(x))


class DecoderBlock(nn.Module):
    """Causal self-attention, cross-attention to the encoder's output `memory`, then a feed-forward network."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, d_ff: Positive):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads)
        self.cross_attn = MultiHeadAttention(d_model, num_heads)
        self.feed_forward = FeedForward(d_model, d_ff)
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.norm3 = nn.LayerNorm(d_model)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.feed_forward.linear1.in_features}"],
        memory: Float[Tensor, "B S {self.feed_forward.linear1.in_features}"],
        causal: Mask["T T"],
        mask: Mask["#B #heads #T S"] | Mask["T S"],
    ) -> Float[Tensor, "B T D"]:
        """All positions at once."""
        x = x + self.self_attn(self.norm1(x), mask=causal)
        x = x + self.cross_attn(self.norm2(x), memory, mask)
        return x + self.feed_forward(self.norm3(x))


class TinyTranslator(nn.Module):
    """An encoder and a decoder of `num_layers` blocks each; token `end` starts and ends every answer.

    `forward` gives the logits (B, T, V) of every token of the target, the true ones before it given. A boolean mask
    (B, S) is True where the source has a token. Raises ValueError unless num_heads divides d_model, an even number.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        d_model: Positive = 48,
        num_heads: Positive = 4,
        d_ff: Positive = 96,
        num_layers: Positive = 2,
        end: Annotated[int, Below("target_vocab")] = 0,
    ):
        super().__init__()
        self.d_model, self.end = d_model, end
        self.source_embedding = nn.Embedding(source_vocab, d_model)
        self.target_embedding = nn.Embedding(target_vocab, d_model)
        for embedding in (self.source_embedding, self.target_embedding):
            nn.init.normal_(embedding.weight, std=d_model**-0.5)
        sizes, layers = (d_model, num_heads, d_ff), range(num_layers)
        self.encoder = nn.ModuleList(EncoderBlock(*sizes) for _ in layers)
        self.decoder = nn.ModuleList(DecoderBlock(*sizes) for _ in layers)
        self.encoder_norm = nn.LayerNorm(d_model)
        self.decoder_norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, target_vocab)

    @checked
    def forward(
        self,
        source: Tokens["B S", "self.source_embedding.num_embeddings"],
        mask: Mask["B S"],
        target: Tokens["B T", "self.target_embedding.num_embeddings"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of every token of `target`, the true tokens before it given (teacher forcing)."""
        start = torch.full_like(target[:, :1], self.end)
        before = torch.cat([start, target[:, :-1]], dim=1)  # one place on
        return self.decode(before, self.encode(source, mask), mask)

    @checked
    def encode(
        self, source: Tokens["B S", "self.source_embedding.num_embeddings"], mask: Mask["B S"]
    ) -> Float[Tensor, "B S D"]:
        """A vector for every source token that has attended to all of them."""
        x = self.embed(self.source_embedding, source)
        for block in self.encoder:
            x = block(x, mask[:, None, None])  # mask: (B, 1, 1, S)
        return self.encoder_norm(x)

    @checked
    def decode(
        self,
        tokens: Tokens["B T", "self.target_embedding.num_embeddings"],
        memory: Float[Tensor, "B S {self.d_model}"],
        mask: Mask["B S"],
    ) -> Float[Tensor, "B T V"]:
        """Logits of the token that follows each of `tokens`."""
        x, T = self.embed(self.target_embedding, tokens), tokens.shape[1]
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        for block in self.decoder:
            x = block(x, memory, causal, mask[:, None, None])
        return self.output(self.decoder_norm(x))

    def embed(self, embedding: nn.Embedding, tokens: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Each token's vector, and the encoding of its position added to it."""
        x = embedding(tokens) * math.sqrt(self.d_model)  # (B, T, D)
        return x + sinusoids(tokens.shape[1], self.d_model, device=x.device)

    @checked
    @torch.no_grad()
    def generate(
        self,
        source: Tokens["B S", "self.source_embedding.num_embeddings"],
        mask: Mask["B S"],
        max_length: Positive,
    ) -> Int[Tensor, "B {max_length}"]:
        """The most probable token, again and again; what stands after the first `end` means nothing."""
        memory = self.encode(source, mask)
        tokens = torch.full_like(source[:, :1], self.end)
        for _ in range(max_length):
            logits = self.decode(tokens, memory, mask)[:, -1]  # (B, V)
            best = logits.argmax(dim=-1, keepdim=True)
            tokens = torch.cat([tokens, best], dim=1)
        return tokens[:, 1:]
