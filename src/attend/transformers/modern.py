"""Today's language model: RMSNorm, rotary positions, grouped-query attention and SwiGLU in one causal block.

Source   Zhang and Sennrich 2019, arXiv:1910.07467 (RMSNorm); Shazeer 2020, arXiv:2002.05202 (SwiGLU); Su et al. 2024,
         arXiv:2104.09864 (rotary positions); Ainslie et al. 2023, arXiv:2305.13245 (grouped queries); put together as
         in Grattafiori et al. 2024, arXiv:2407.21783 (Llama 3).
Departs  a character model: embeddings are drawn with standard deviation 0.1, all else by torch's defaults.
Agrees   torch.nn.RMSNorm; attention written out, with one head of keys for each query; rotated products that depend on
         distance alone; torch's own grouped queries, where it has them (tests/transformers/test_modern.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention, silu

from attend.core.expect import checked, expect
from attend.core.types import Plural, Positive, Tokens
from attend.transformers.positioned import rotate


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class RMSNorm(nn.Module):
    """Divides a vector by the root of its mean square, and multiplies it by a learned gain."""

    @checked
    def __init__(self, d_model: Positive):
        super().__init__()
        self.d_model = d_model
        self.gain = nn.Parameter(torch.ones(d_model))

    @checked
    def forward(self, x: Float[Tensor, "*batch {self.d_model}"]) -> Float[Tensor, "*batch {self.d_model}"]:
        """Every vector by itself."""
        return (self.gain * x
                * (x.square().mean(dim=-1, keepdim=True) + 1e-5).rsqrt())


class GroupedQueryAttention(nn.Module):
    """Causal self-attention in which `num_heads` heads of queries share `num_kv_heads` heads of keys and values."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, num_kv_heads: Positive):
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a number that divides d_model = {d_model}")
        expect(num_heads % num_kv_heads == 0, "num_kv_heads", num_kv_heads, f"a divisor of num_heads = {num_heads}")
        super().__init__()
        self.d_model, self.d_head = d_model, d_model // num_heads
        self.group = num_heads // num_kv_heads  # queries that share a key
        self.q_proj = nn.Linear(d_model, d_model, bias=False)
        self.k_proj = nn.Linear(d_model, num_kv_heads * self.d_head,
                                bias=False)
        self.v_proj = nn.Linear(d_model, num_kv_heads * self.d_head,
                                bias=False)
        self.out_proj = nn.Linear(d_model, d_model, bias=False)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.d_model}"]) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once."""
        q, k, v = (                                # (B, heads, T, d_head)
            proj(x).unflatten(2, (-1, self.d_head)).transpose(1, 2)
            for proj in (self.q_proj, self.k_proj, self.v_proj))
        q, k = rotate(q), rotate(k)  # positions; values stay as they are
        k, v = (part.repeat_interleave(self.group, dim=1)
                for part in (k, v))
        read = scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out_proj(read.transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    """A feed-forward network with a gate: one projection says how much of the other gets through."""

    @checked
    def __init__(self, d_model: Positive, d_ff: Positive):
        super().__init__()
        self.d_model = d_model
        self.gate = nn.Linear(d_model, d_ff, bias=False)
        self.up = nn.Linear(d_model, d_ff, bias=False)
        self.down = nn.Linear(d_ff, d_model, bias=False)

    @checked
    def forward(self, x: Float[Tensor, "*batch {self.d_model}"]) -> Float[Tensor, "*batch {self.d_model}"]:
        """Every vector by itself."""
        return self.down(silu(self.gate(x)) * self.up(x))


class ModernBlock(nn.Module):
    """Attention between positions, then a gated network at each position; both read a normalised x and add to x."""

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, num_kv_heads: Positive, d_ff: Positive):
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(d_model), RMSNorm(d_model)
        self.self_attn = GroupedQueryAttention(
            d_model, num_heads, num_kv_heads)
        self.feed_forward = SwiGLU(d_model, d_ff)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.norm1.d_model}"]) -> Float[Tensor, "B T D"]:
        """All positions at once."""
        x = x + self.self_attn(self.norm1(x))
        return x + self.feed_forward(self.norm2(x))


class ModernTransformer(nn.Module):
    """A language model: predicts the next of `vocab_size` tokens at each position, of however many."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 64,
        num_heads: Positive = 4,
        num_kv_heads: Positive = 2,
        d_ff: Positive = 206,
        num_layers: Positive = 2,
    ):
        super().__init__()
        self.vocab_size = vocab_size
        self.token = nn.Embedding(vocab_size, d_model)
        blocks = [ModernBlock(d_model, num_heads, num_kv_heads, d_ff)
                  for _ in range(num_layers)]
        self.blocks = nn.Sequential(*blocks)
        self.norm = RMSNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size, bias=False)
        nn.init.normal_(self.token.weight, std=0.1)  # 1 is too large

    @checked
    def forward(self, tokens: Tokens["B T", "self.vocab_size"]) -> Float[Tensor, "B T {self.vocab_size}"]:
        """Logits of the token that follows each position."""
        return self.output(self.norm(self.blocks(self.token(tokens))))
