"""A small Transformer that learns of positions in one of five ways, or not at all.

Source   sinusoids and learned positions: Vaswani et al. 2017, arXiv:1706.03762, section 3.5; ALiBi: Press et al. 2022,
         arXiv:2108.12409, section 3; RoPE: Su et al. 2021, arXiv:2104.09864, section 3.
Departs  pre-norm; sines and cosines stand in two halves and not in turn, and so do the pairs that RoPE turns; RoPE on
         all of a head.
Agrees   attend.transformers.positions and the causal TinyTransformer, in values; scores that depend on the distance
         alone (tests/transformers/test_positioned.py).
"""

from typing import Literal, get_args

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Plural, Positive, Tokens

Positions = Literal["none", "learned", "sinusoids", "alibi", "rope"]
POSITIONS: tuple[str, ...] = get_args(Positions)


@checked
def angles(T: Positive, d: Positive, device: torch.device | str | None = None) -> Float[Tensor, "{T} {d}/2"]:
    """By how much each of d / 2 hands has turned at positions 0 to T - 1, in radians."""
    expect(d % 2 == 0, "d", d, "a positive even number")
    frequencies = 10_000.0 ** (-torch.arange(0, d, 2, device=device) / d)
    return torch.arange(T, device=device)[:, None] * frequencies  # radians


@checked
def rotate(x: Float[Tensor, "*B T d"]) -> Float[Tensor, "*B T d"]:
    """RoPE: turn number i and number d/2 + i, as one pair, by the angle of hand i at each position.

    Raises ValueError for an odd d.
    """
    expect(x.numel() > 0 and x.shape[-1] % 2 == 0, "x", x, "rows of an even number of numbers")
    a, b = x.chunk(2, dim=-1)  # the pairs (a, b)
    angle = angles(x.shape[-2], x.shape[-1], x.device)
    sin, cos = angle.sin(), angle.cos()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)


@checked
def slopes(num_heads: Positive, device: torch.device | str | None = None) -> Float[Tensor, "{num_heads}"]:
    """ALiBi: what each head takes off a score for each step of distance, 2^(-8/K), 2^(-16/K), ..., 2^-8."""
    n = torch.arange(1, num_heads + 1, device=device)
    return 2.0 ** (-8 * n / num_heads)


class PositionedAttention(nn.Module):
    """Multi-head self-attention whose scores know of distances ("alibi", "rope") or do not (anything else).

    Without `causal` every position sees every other.
    """

    @checked
    def __init__(self, d_model: Positive, num_heads: Positive, positions: Positions = "none", causal: bool = True):
        super().__init__()
        expect(d_model % num_heads == 0, "num_heads", num_heads, f"a number that divides d_model = {d_model}")
        expect(
            positions != "rope" or d_model // num_heads % 2 == 0,
            "d_model",
            d_model,
            f"an even number for each of {num_heads} heads",
        )
        self.d_model, self.num_heads = d_model, num_heads
        self.positions, self.causal = positions, causal
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.d_model}"], window: Positive | None = None
    ) -> Float[Tensor, "B T {self.d_model}"]:
        """All positions at once; with a `window` each sees only so many, itself and what stands just before."""
        heads = self.qkv(x).unflatten(2, (3, self.num_heads, -1))
        q, k, v = heads.permute(2, 0, 3, 1, 4)  # (B, K, T, d) each
        if self.positions == "rope":
            q, k = rotate(q), rotate(k)
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, K, T, T)
        t = torch.arange(x.shape[1], device=x.device)
        distance = t[:, None] - t  # (T, T): query minus key
        if self.positions == "alibi":
            m = slopes(self.num_heads, x.device)[:, None, None]
            scores = scores - m * distance.abs()
        if self.causal:
            scores = scores.masked_fill(distance < 0, -torch.inf)
        if window is not None:
            far = distance.abs() >= window
            scores = scores.masked_fill(far, -torch.inf)
        output = scores.softmax(dim=-1) @ v  # (B, K, T, d)
        return self.out(output.transpose(1, 2).flatten(2))


class PositionedTransformer(nn.Module):
    """Logits at every position of a Transformer that knows of `positions` in one way. Learned ones end at `context`."""

    @checked
    def __init__(
        self,
        vocab_size: Plural,
        d_model: Positive = 32,
        num_heads: Positive = 4,
        num_layers: Positive = 1,
        positions: Positions = "rope",
        context: Positive = 16,
        causal: bool = True,
    ):
        super().__init__()
        self.vocab_size, self.d_model = vocab_size, d_model
        self.positions, self.context = positions, context
        self.token = nn.Embedding(vocab_size, d_model)
        if positions == "learned":
            self.learned = nn.Embedding(context, d_model)
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            sizes = d_model, num_heads
            attention = PositionedAttention(*sizes, positions, causal)
            feed_forward = nn.Sequential(
                nn.Linear(d_model, 4 * d_model),
                nn.ReLU(),
                nn.Linear(4 * d_model, d_model),
            )
            norm1, norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
            layer = [norm1, attention, norm2, feed_forward]
            self.layers.append(nn.ModuleList(layer))
        self.norm = nn.LayerNorm(d_model)
        self.output = nn.Linear(d_model, vocab_size)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"], window: Positive | None = None
    ) -> Float[Tensor, "B T {self.vocab_size}"]:
        """Logits at every position. Raises ValueError where learned positions run out."""
        T = tokens.shape[1]
        expect(self.positions != "learned" or self.context >= T, "tokens", tokens, f"at most {self.context} tokens")
        x = self.token(tokens)  # (B, T, d_model)
        if self.positions == "learned":
            x = x + self.learned.weight[:T]
        if self.positions == "sinusoids":
            angle = angles(T, self.d_model, x.device)
            x = x + torch.cat([angle.sin(), angle.cos()], dim=-1)
        for norm1, attention, norm2, feed_forward in self.layers:
            x = x + attention(norm1(x), window)
            x = x + feed_forward(norm2(x))
        return self.output(self.norm(x))
