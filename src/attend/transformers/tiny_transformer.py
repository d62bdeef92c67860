"""A decoder-only Transformer that writes text one token at a time: GPT's architecture at a thousandth of its size.

Source   Vaswani et al. 2017, arXiv:1706.03762, sections 3.2 and 3.3; pre-norm and learned positions as in Radford et
         al. 2019 (GPT-2) and Xiong et al. 2020, arXiv:2002.04745.
Departs  no dropout; embeddings are drawn with standard deviation 0.1.
Agrees   attend.transformers.blocks and torch.nn.TransformerEncoderLayer under a causal mask, in values and gradients
         (tests/transformers/test_tiny_transformer.py).
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Plural, Positive, PositiveFloat, Tokens


class CausalSelfAttention(nn.Module):
    """Self-attention in which no position sees a later one, with `num_heads` heads of width d_model / num_heads."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive):
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a number that divides d_model = {d_model}")
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.q_proj = nn.Linear(d_model, d_model)  # for all heads at once
        self.k_proj = nn.Linear(d_model, d_model)
        self.v_proj = nn.Linear(d_model, d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.d_model}"]) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once."""
        B, T, D = x.shape
        heads = (B, T, self.num_heads, D // self.num_heads)
        query = self.q_proj(x).view(heads).transpose(1, 2)
        key = self.k_proj(x).view(heads).transpose(1, 2)
        value = self.v_proj(x).view(heads).transpose(1, 2)
        # each (B, heads, T, d_head)

        scores = query @ key.mT / math.sqrt(D // self.num_heads)
        later = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -math.inf)  # (B, heads, T, T)
        weights = scores.softmax(dim=-1)  # rows add up to 1

        output = weights @ value  # (B, heads, T, d_head)
        return self.out_proj(output.transpose(1, 2).reshape(B, T, D))


class Block(nn.Module):
    """Attention between positions, then a feed-forward network at each position; both are added to x."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive):
        super().__init__()
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.self_attn = CausalSelfAttention(d_model, num_heads)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, 4 * d_model),
            nn.ReLU(),
            nn.Linear(4 * d_model, d_model),
        )

    @checked
    def forward(self, x: Float[Tensor, "B T {self.self_attn.d_model}"]) -> Float[Tensor, "B T D"]:
        """All positions at once."""
        x = x + self.self_attn(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class TinyTransformer(nn.Module):
    """A language model: predicts the next of `vocab_size` tokens at each of up to `context` positions."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 64,
        num_heads: Positive = 4,
        num_layers: Positive = 2,
        context: Positive = 64,
    ):
        super().__init__()
        self.vocab_size, self.context = vocab_size, context
        self.token = nn.Embedding(vocab_size, d_model)  # what stands here
        self.position = nn.Embedding(context, d_model)  # where it stands
        blocks = [Block(d_model, num_heads) for _ in range(num_layers)]
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)
        for table in (self.token, self.position):
            nn.init.normal_(table.weight, std=0.1)  # torch's 1 is too large

    @checked
    def forward(self, tokens: Tokens["B T", "self.vocab_size"]) -> Float[Tensor, "B T {self.vocab_size}"]:
        """Logits of the token that follows each position. Raises ValueError for more tokens than `context`."""
        T = tokens.shape[1]
        expect(self.context >= T, "tokens", tokens, f"at most context = {self.context} tokens")
        positions = torch.arange(T, device=tokens.device)
        x = self.token(tokens) + self.position(positions)  # (B, T, d_model)
        return self.output(self.norm(self.blocks(x)))  # (B, T, vocab_size)

    @checked
    @torch.no_grad()
    def generate(
        self,
        tokens: Tokens["B T", "self.vocab_size"],
        steps: Positive,
        temperature: PositiveFloat = 1.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "B U"]:
        """`tokens`, continued by `steps` more, each drawn from the prediction for the last position."""
        for _ in range(steps):
            logits = self(tokens[:, -self.context :])[:, -1]  # the last position
            probs = (logits / temperature).softmax(dim=-1)
            drawn = torch.multinomial(probs, 1, generator=generator)  # (B, 1)
            tokens = torch.cat([tokens, drawn], dim=1)
        return tokens
