"""The block of 2017 with one part of today's at a time, and today's whole, on letters of the plays; equal weights."""

from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.tasks import plays
from attend.train.characters import CONTEXT, train_on_windows
from attend.transformers.modern import ModernTransformer, RMSNorm, SwiGLU
from attend.transformers.positioned import rotate
from attend.transformers.tiny_transformer import CausalSelfAttention, TinyTransformer

Kind = Literal["2017", "rmsnorm", "gelu", "swiglu", "rope", "gqa", "today"]
KINDS: tuple[str, ...] = get_args(Kind)
"""The model of the page on self-attention; with one part changed; and today's block. "gqa" has two heads of keys."""
WIDTH = {"rope": 272, "gqa": 288, "swiglu": 172, "today": 206}
"""Inner width of the feed-forward networks, 256 where nothing is said: weights saved elsewhere are put in there."""
RATES = (3e-3, 6e-3, 1.2e-2, 2.4e-2)
"""Three neighbours were tried for each kind, with the seeds of TUNED_ON: those of which the middle one is the best."""
RATE = dict.fromkeys(KINDS, 1.2e-2) | {"rope": 6e-3, "today": 6e-3}
"""The best of them for each kind."""
TUNED_ON = (100, 101)


class Attention(CausalSelfAttention):
    """Self-attention of the tiny Transformer with rotary positions, or with fewer heads of keys and values."""

    def __init__(self, d_model: int, num_heads: int, num_kv_heads: int, rotary: bool):
        super().__init__(d_model, num_heads)
        self.group, self.rotary = num_heads // num_kv_heads, rotary
        if self.group > 1:
            narrow = d_model // self.group
            self.k_proj, self.v_proj = nn.Linear(d_model, narrow), nn.Linear(d_model, narrow)

    def forward(self, x: Tensor) -> Tensor:
        """All positions at once."""
        parts = self.q_proj(x), self.k_proj(x), self.v_proj(x)
        q, k, v = (part.unflatten(2, (-1, self.d_model // self.num_heads)).transpose(1, 2) for part in parts)
        if self.rotary:
            q, k = rotate(q), rotate(k)
        k, v = (part.repeat_interleave(self.group, dim=1) for part in (k, v))
        return self.out_proj(scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


def build(kind: Kind, seed: int) -> nn.Module:
    """A model at its start; all kinds have as many weights to within one in a hundred."""
    torch.manual_seed(seed)
    V, width = len(plays.ALPHABET), WIDTH.get(kind, 256)
    if kind == "today":
        return ModernTransformer(V, d_ff=width)
    model = fast(TinyTransformer(V, context=CONTEXT))
    for block in model.blocks:
        if kind == "rmsnorm":
            block.norm1, block.norm2 = RMSNorm(64), RMSNorm(64)
        if kind == "swiglu":
            block.feed_forward = SwiGLU(64, width)
        if kind == "gelu":
            block.feed_forward[1] = nn.GELU()
        if kind in ("rope", "gqa"):
            block.self_attn = Attention(64, 4, 2 if kind == "gqa" else 4, kind == "rope")
            block.feed_forward = nn.Sequential(nn.Linear(64, width), nn.ReLU(), nn.Linear(width, 64))
    if kind == "rmsnorm":
        model.norm = RMSNorm(64)
    if kind == "rope":
        nn.init.zeros_(model.position.weight).requires_grad_(False)
    return model


def weights(model: nn.Module) -> int:
    """How many numbers a model learns."""
    return sum(p.numel() for p in model.parameters() if p.requires_grad)


@recipe
class ModernRecipe:
    """One of KINDS, trained for `steps` steps on 16 windows of 64 characters."""

    kind: Kind = "today"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def train(self, callbacks=()) -> nn.Module:
        """Train from the start."""
        model, rate = build(self.kind, self.seed), self.rate or RATE[self.kind]
        optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=rate)
        label = f"plays, {self.kind}, seed {self.seed}"
        train_on_windows(model, optimiser, seed=self.seed, steps=self.steps, callbacks=callbacks, label=label)
        return model.requires_grad_(False)


@torch.no_grad()
def nats(model: nn.Module, part: Literal["train", "validation", "test"], windows: int = 1_000) -> float:
    """Nats a character on the first windows of 64 characters of one part of the plays."""
    text = plays.stream(part)
    rows = text[: windows * CONTEXT].view(-1, CONTEXT)
    logits = torch.cat([model(window) for window in rows.split(100)])
    return cross_entropy(logits.flatten(0, 1), text[1 : rows.numel() + 1]).item()


def tune() -> None:
    """Print the loss on the validation scenes of every kind with three rates of RATES, from the seeds of TUNED_ON."""
    for kind in KINDS:
        found: dict[float, float] = {}
        for rate in (*RATES[1:3], None):
            if rate is None:
                rate = RATES[0] if found[RATES[1]] < found[RATES[2]] else RATES[3]
            runs = [nats(ModernRecipe(kind, seed, rate=rate).train(), "validation") for seed in TUNED_ON]
            found[rate] = sum(runs) / len(runs)
            print(f"{kind:8} {rate:g}: {' '.join(f'{one:.4f}' for one in runs)}", flush=True)
