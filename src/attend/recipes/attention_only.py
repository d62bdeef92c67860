"""Transformers of attention alone: what a repeated stretch says of the next token, and whom *it* stands for."""

import copy
from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.recipes import WEIGHTS
from attend.tasks import pronouns, repeats
from attend.train.checkpoint import load, save
from attend.train.fit import fit
from attend.transformers.attention_only import AttentionOnly, cut_
from attend.transformers.tiny_transformer import TinyTransformer

DATA = ("recipes/weights/attention_only.safetensors",)
TUNED_ON = (100, 101)
RATES = (2e-3, 5e-3, 1e-2)
"""Adam's learning rates that were tried for each kind, with the seeds of TUNED_ON."""
Kind = Literal["two layers", "one layer", "one block"]
KINDS: tuple[str, ...] = get_args(Kind)
"""Two layers of two heads; one wider layer of four; one block, of four heads and a feed-forward network."""
RATE = dict.fromkeys(KINDS, 5e-3)
"""The best of them for each kind."""


class OneBlock(TinyTransformer):
    """One block of a Transformer; it answers as AttentionOnly does, without the weights."""

    def forward(self, tokens: Tensor) -> tuple[Tensor, None]:
        """Logits (B, T, V)."""
        return super().forward(tokens), None


@checked
def build(kind: Kind, seed: NonNegative) -> nn.Module:
    """A model for `repeats` at its start: four heads in all, and as many weights to within 4 %."""
    torch.manual_seed(seed)
    V = repeats.VOCAB
    if kind == "two layers":
        return AttentionOnly(V, d_model=64, num_heads=2, num_layers=2, context=24)
    if kind == "one layer":
        return AttentionOnly(V, d_model=88, num_heads=4, num_layers=1, context=24)
    block = OneBlock(V, d_model=52, num_heads=4, num_layers=1, context=24)
    for table in (block.token, block.position):
        nn.init.normal_(table.weight)  # as in the other two
    return block


@recipe
class RepeatsRecipe:
    """One of KINDS, trained on 32 new rows a step to predict the tokens that can be known."""

    kind: Kind = "two layers"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless rows, and where the next token is known, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield repeats.sample(32, generator=generator)

    def train(self, callbacks=()) -> nn.Module:
        """Train from the start."""
        model, rate = build(self.kind, self.seed), self.rate or RATE[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            cost,
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            clip=1.0,
            callbacks=callbacks,
            label=f"repeats, {self.kind}, seed {self.seed}",
        )
        return model.requires_grad_(False)


def cost(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
    """Cross-entropy where the next token is known."""
    tokens, known = batch[0], batch[1][:, :-1]
    return cross_entropy(model(tokens)[0][:, :-1][known], tokens[:, 1:][known])


@torch.no_grad()
def right_of(model: nn.Module, rows: int = 1_000) -> float:
    """The share of known tokens that a model predicts, on rows that are the same for every model."""
    tokens, known = repeats.sample(rows, generator=torch.Generator().manual_seed(1_000_000))
    right = model(tokens)[0][:, :-1].argmax(2) == tokens[:, 1:]
    return right[known[:, :-1]].double().mean().item()


@recipe
class PronounRecipe:
    """Two layers of four heads, without a mask, trained on 64 sentences a step to name at *it* whom it stands for."""

    seed: NonNegative = 0
    steps: Positive = 800
    rate: PositiveFloat = 5e-3

    def build(self) -> AttentionOnly:
        """The model at its start."""
        torch.manual_seed(self.seed)
        sizes = {"d_model": 32, "num_heads": 4, "num_layers": 2, "context": pronouns.LENGTH}
        return AttentionOnly(len(pronouns.WORDS), **sizes, causal=False)

    def batches(self) -> Iterator[pronouns.Sentences]:
        """Endless sentences, seeded."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield pronouns.sample(64, generator=generator)

    def train(self, callbacks=()) -> AttentionOnly:
        """Train from the start."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate)
        fit(
            model,
            lambda model, made: cross_entropy(named(model, made)[0], made.at("referent")),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            clip=1.0,
            callbacks=callbacks,
            label=f"pronouns, seed {self.seed}",
        )
        return model.requires_grad_(False)

    def load(self) -> AttentionOnly:
        """The model that the page's live figure shows, from the weights of the package."""
        return load(WEIGHTS / "attention_only.safetensors", self.build()).eval().requires_grad_(False)


def named(model: AttentionOnly, made: pronouns.Sentences) -> tuple[Tensor, Tensor]:
    """At *it*: the logits of every word (B, V), and the weights of every head (B, layers, heads, T)."""
    logits, weights = model(made.tokens)
    rows = torch.arange(len(made.tokens))
    return logits[rows, made.it], weights[rows, :, :, made.it]


def without(model: AttentionOnly, layer: int, head: int) -> AttentionOnly:
    """The model with one head cut, as a copy."""
    model = copy.deepcopy(model)
    cut_(model.layers[layer], head)
    return model


def tune() -> None:
    """Print how every kind does with every rate of RATES on the seeds of TUNED_ON; and the model for pronouns."""
    for kind in KINDS:
        for rate in RATES:
            found = [right_of(RepeatsRecipe(kind, seed, rate=rate).train(), 300) for seed in TUNED_ON]
            print(f"{kind:12} {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)
    for rate in RATES:
        found = []
        for seed in TUNED_ON:
            made = pronouns.sample(500, "train", torch.Generator().manual_seed(2_000 + seed))
            model = PronounRecipe(seed, rate=rate).train()
            found.append((named(model, made)[0].argmax(1) == made.at("referent")).double().mean().item())
        print(f"pronouns     {rate:g}: {' '.join(f'{one:.3f}' for one in found)}", flush=True)


def export() -> None:
    """Train the model of the live figure and write its weights."""
    save(WEIGHTS / "attention_only.safetensors", PronounRecipe().train(), dtype=torch.float16)
