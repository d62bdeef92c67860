"""BERT: a Transformer encoder pre-trained to fill in hidden words and to tell whether two sentences belong together.

Source   Devlin et al. 2019, doi:10.18653/v1/N19-1423, section 3 and appendix A; lecture hu2019lecture16.
Departs  in size; dropout is 0 unless it is asked for. Weights are drawn by torch's defaults, embeddings with standard
         deviation 0.05 (BERT: everything with 0.02).
Agrees   torch.nn.TransformerEncoderLayer, in values and gradients (tests/transformers/test_bert.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from attend.core.expect import checked, expect
from attend.core.types import DropRate, Mask, NonNegative, Plural, Positive, Probability, Tokens


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class EncoderBlock(nn.Module):
    """Attention between all positions, then a feed-forward network at each; a norm after each addition."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, dropout: DropRate = 0.0):
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a number that divides d_model = {d_model}")
        super().__init__()
        self.d_model, self.num_heads = d_model, num_heads
        self.qkv_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, 4 * d_model), nn.GELU(),
            nn.Linear(4 * d_model, d_model))
        self.norm2 = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.d_model}"], mask: Mask["#B #T T"]
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once; True in `mask` may be attended to."""
        query, key, value = (                      # (B, heads, T, d_head)
            part.unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            for part in self.qkv_proj(x).chunk(3, dim=2))
        read = scaled_dot_product_attention(query, key, value,
                                            mask[:, None])
        read = self.out_proj(read.transpose(1, 2).flatten(2))
        x = self.norm1(x + self.dropout(read))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class Bert(nn.Module):
    """Vectors of all tokens, each from the whole input; and what pre-training asks of them."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 48,
        num_heads: Positive = 2,
        num_layers: Positive = 2,
        context: Positive = 32,
        dropout: DropRate = 0.0,
    ):
        super().__init__()
        self.vocab_size, self.d_model, self.context = (
            vocab_size, d_model, context)
        self.token = nn.Embedding(vocab_size, d_model)  # which word
        self.position = nn.Embedding(context, d_model)  # where
        self.segment = nn.Embedding(2, d_model)   # in which sentence
        self.norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(
            EncoderBlock(d_model, num_heads, dropout)
            for _ in range(num_layers))
        # for pre-training
        self.transform = nn.Sequential(
            nn.Linear(d_model, d_model), nn.GELU(), nn.LayerNorm(d_model))
        self.word_bias = nn.Parameter(torch.zeros(vocab_size))
        self.pooler = nn.Sequential(nn.Linear(d_model, d_model), nn.Tanh())
        self.next_sentence = nn.Linear(d_model, 2)
        for table in (self.token, self.position, self.segment):
            nn.init.normal_(table.weight, std=0.05)  # 1 is too large

    @checked
    def forward(
        self,
        tokens: Tokens["B T", "self.vocab_size"],
        segments: Int[Tensor, "B T"],
        mask: Mask["#B #T T"] | None = None,
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """A vector of every token. Without a `mask` all tokens but the padding, token 0, may be attended to."""
        T = tokens.shape[1]
        expect(self.context >= T, "tokens", tokens, f"at most context = {self.context} tokens")
        if mask is None:
            mask = (tokens != 0)[:, None]         # (B, 1, T): no padding
        x = self.token(tokens) + self.segment(segments)
        x = x + self.position.weight[:T]          # (B, T, d_model)
        x = self.dropout(self.norm(x))
        for block in self.blocks:
            x = block(x, mask)
        return x

    @checked
    def words(self, hidden: Float[Tensor, "*B {self.d_model}"]) -> Float[Tensor, "*B {self.vocab_size}"]:
        """Logits over the vocabulary, by the table of embeddings read backwards."""
        return self.transform(hidden) @ self.token.weight.T + self.word_bias

    @checked
    def follows(self, hidden: Float[Tensor, "B T {self.d_model}"]) -> Float[Tensor, "B 2"]:
        """Logits of "does not follow" and "follows", from the vector of [CLS]."""
        return self.next_sentence(self.pooler(hidden[:, 0]))


@checked
def hide(
    tokens: Int[Tensor, "B T"],
    vocab_size: Plural,
    mask_token: NonNegative = 3,
    first_word: NonNegative = 4,
    rate: Probability = 0.15,
    generator: torch.Generator | None = None,
) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """The input with some words hidden, and where: of the chosen 80 % become `mask_token`, 10 % a random word."""
    chance = torch.rand(tokens.shape, generator=generator)
    chosen = (chance < rate) & (tokens >= first_word)
    fate = torch.rand(tokens.shape, generator=generator)
    words = torch.randint(first_word, vocab_size, tokens.shape,
                          generator=generator)
    hidden = tokens.masked_fill(chosen & (fate < 0.8), mask_token)
    hidden = torch.where(chosen & (fate >= 0.9), words, hidden)
    return hidden, chosen                          # the last 10 % stay
