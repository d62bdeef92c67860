"""The decoder-only Transformer of the page, whole and with one part changed, beside a GRU, on letters of the plays."""

from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.fast.attention import FastCausalSelfAttention
from attend.gating.gru import GRU
from attend.recipes import WEIGHTS
from attend.tasks import plays
from attend.train.characters import CONTEXT, train_on_windows
from attend.train.checkpoint import load, save
from attend.transformers.tiny_transformer import Block, TinyTransformer

DATA = ("recipes/weights/self_attention.safetensors",)
Kind = Literal[
    "whole", "no_mask", "no_positions", "no_scale", "one_head", "no_feed_forward", "no_residual", "no_norm", "gru"
]
KINDS: tuple[str, ...] = get_args(Kind)
RATES = (3e-3, 6e-3, 1.2e-2)
"""Learning rates that were tried for each kind on the validation scenes, with seed 100 alone."""
RATE = dict.fromkeys(KINDS, 6e-3) | {"no_positions": 3e-3, "no_residual": 3e-3, "no_norm": 1.2e-2, "gru": 1.2e-2}
"""The best of them for each kind."""
TUNED_ON = (100,)


class WithoutMask(FastCausalSelfAttention):
    """Every position sees every other."""

    causal = False


class WithoutScale(FastCausalSelfAttention):
    """The scores are not divided."""

    scale = 1.0


class WithoutResidual(Block):
    """Each part replaces x."""

    def forward(self, x: Tensor) -> Tensor:
        """All positions at once."""
        return self.feed_forward(self.norm2(self.self_attn(self.norm1(x))))


class WithoutFeedForward(Block):
    """Attention alone."""

    def forward(self, x: Tensor) -> Tensor:
        """All positions at once."""
        return x + self.self_attn(self.norm1(x))


class GRUModel(nn.Module):
    """The rival: the same embeddings and output layer around a GRU of 152 units, 112,623 weights beside 112,319."""

    def __init__(self, vocab_size: int):
        super().__init__()
        self.token = nn.Embedding(vocab_size, 64)
        nn.init.normal_(self.token.weight, std=0.1)
        self.gru = GRU(64, 152)
        self.output = nn.Linear(152, vocab_size)

    def forward(self, tokens: Tensor) -> Tensor:
        """Logits (B, T, V) for tokens (B, T)."""
        return self.output(self.gru(self.token(tokens))[0])


def build(kind: Kind, seed: int) -> nn.Module:
    """A model at its start, whole or with one part changed."""
    torch.manual_seed(seed)
    V = len(plays.ALPHABET)
    if kind == "gru":
        return fast(GRUModel(V))
    model = fast(TinyTransformer(V, num_heads=1 if kind == "one_head" else 4, context=CONTEXT))
    for block in model.blocks:
        if kind in ("no_mask", "no_scale"):
            block.self_attn.__class__ = WithoutMask if kind == "no_mask" else WithoutScale
        if kind in ("no_residual", "no_feed_forward"):
            block.__class__ = WithoutResidual if kind == "no_residual" else WithoutFeedForward
        if kind == "no_norm":
            block.norm1 = block.norm2 = nn.Identity()
    if kind == "no_norm":
        model.norm = nn.Identity()
    if kind == "no_positions":
        nn.init.zeros_(model.position.weight).requires_grad_(False)
    return model


@recipe
class SelfAttentionRecipe:
    """One of KINDS, trained for `steps` steps on 16 windows of 64 characters, as the page does."""

    kind: Kind = "whole"
    seed: NonNegative = 0
    steps: Positive = 1_000
    rate: PositiveFloat | None = None

    def train(self) -> nn.Module:
        """Train from the start."""
        model, rate = build(self.kind, self.seed), self.rate or RATE[self.kind]
        optimiser = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=rate)
        train_on_windows(
            model, optimiser, seed=self.seed, steps=self.steps, label=f"plays, {self.kind}, seed {self.seed}"
        )
        return model

    @torch.no_grad()
    def loss(self, model: nn.Module, part: Literal["train", "validation", "test"]) -> float:
        """Nats a character on one part of the plays, in windows of 64 that do not overlap."""
        text = plays.stream(part)
        rows = text[: (len(text) - 1) // CONTEXT * CONTEXT]
        logits = torch.cat([model(window) for window in rows.view(-1, CONTEXT).split(200)])
        return cross_entropy(logits.flatten(0, 1), text[1 : len(rows) + 1]).item()

    def load(self) -> TinyTransformer:
        """The model that the page's live figure shows, after 4,000 steps, from the weights of the package."""
        return load(
            WEIGHTS / "self_attention.safetensors", TinyTransformer(len(plays.ALPHABET), context=CONTEXT)
        ).eval()


def tune() -> None:
    """Print the loss on the validation scenes of every kind with every rate of RATES, from the seeds of TUNED_ON."""
    for kind in KINDS:
        for rate in RATES:
            recipes = [SelfAttentionRecipe(kind, seed, rate=rate) for seed in TUNED_ON]
            losses = [recipe.loss(recipe.train(), "validation") for recipe in recipes]
            print(f"{kind:16} {rate:g}: {sum(losses) / len(losses):.4f}")


def export() -> None:
    """Train the model of the live figure and write its weights."""
    save(WEIGHTS / "self_attention.safetensors", SelfAttentionRecipe(steps=4_000).train(), dtype=torch.float16)
