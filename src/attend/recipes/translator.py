"""The Transformer on numbers of up to 15 digits, and its race with a recurrent translator of as many weights."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import expect, recipe
from attend.core.types import AtLeast10, DropRate, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.recipes import WEIGHTS
from attend.recipes.translation import alike, encoded
from attend.soft.decode import greedy
from attend.soft.translation import Translator
from attend.tasks import pairs, translation
from attend.tasks.pairs import Pairs
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit
from attend.train.schedule import one_cycle
from attend.transformers.translator import Transformer

DATA = ("recipes/weights/translator_0.safetensors",)
Racer = Literal["Transformer", "GRU"]
DIGITS, MOST = 6, 2_000
"""The numbers of the race: up to so many digits, so many of each length."""
TUNED_ON = (100,)
GRID: dict[str, tuple[float, ...]] = {
    "Transformer": (5e-3, 1e-2, 2e-2),
    "GRU": (1e-2, 2e-2, 4e-2),
}
RATE: dict[str, float] = {"Transformer": 1e-2, "GRU": 2e-2}
"""Adam's largest rate: the best of GRID after 100 steps, on the validation part and the seed of TUNED_ON (`tune`)."""
SMOOTHING = 0.1
"""A tenth of the target probability is spread evenly over all tokens (label smoothing, section 5.4 of the paper)."""


@recipe
class TransformerRecipe:
    """One Transformer, taught by Adam with a rate that rises for `warm` steps and then falls.

    `fall` is to "zero", along a half wave of the cosine, or as the "root", the paper's 1 / √step.
    """

    seed: Seed = 0
    steps: Positive = 1_000
    d_model: Positive = 48
    num_heads: Positive = 4
    d_ff: Positive = 96
    num_layers: Positive = 2
    dropout: DropRate = 0.0
    norm: Literal["pre", "post"] = "pre"
    positions: Literal["sinusoids", "learned", "none"] = "sinusoids"
    smoothing: DropRate = SMOOTHING
    rate: PositiveFloat = 5e-3
    warm: Positive = 100
    fall: Literal["zero", "root"] = "zero"
    digits: Positive = 15
    most: Positive = 1_500
    batch: Positive = 64

    def build(self) -> Transformer:
        """The model at initialisation."""
        names = "d_model", "num_heads", "d_ff", "num_layers", "dropout", "norm", "positions"
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        options |= {"end": translation.END, "generator": torch.Generator().manual_seed(self.seed)}
        return Transformer(len(translation.ENGLISH), len(translation.GERMAN), **options)

    def train(self, callbacks: tuple[Callable, ...] = ()) -> tuple[Transformer, History]:
        """Train from the start. Dropout draws from a state of its own."""
        expect(0 < self.warm <= self.steps, "warm", self.warm, f"a number of steps up to {self.steps}")
        stream = alike(
            encoded("train", self.digits, self.most), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
        )
        with torch.random.fork_rng(devices=[]):
            model = fast(self.build())
            torch.manual_seed(2_000 + self.seed)
            optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, betas=(0.9, 0.98))
            history = fit(
                model,
                self.cost,
                stream,
                steps=self.steps,
                optimiser=optimiser,
                schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, self.warmed),
                clip=1.0,
                callbacks=callbacks,
                label="learning to translate",
            )
        return model, history

    def load(self) -> Transformer:
        """The trained model of this seed, from the weights that came with the package.

        Raises ValueError for a recipe that is not the default but for its seed: no other model came with it.
        """
        expect(self == TransformerRecipe(seed=self.seed), "self", self, "TransformerRecipe(seed=…), all else as it is")
        return fast(load(weights(self.seed), self.build())).eval()

    def warmed(self, step: int) -> float:
        """The share of the rate at a step: it rises to 1 in `warm` steps, then falls."""
        if step < self.warm:
            return (step + 1) / self.warm
        if self.fall == "root":
            return (self.warm / (step + 1)) ** 0.5
        return (1 + math.cos(math.pi * (step + 1 - self.warm) / (self.steps + 1 - self.warm))) / 2

    def cost(self, model: Transformer, batch: pairs.Pairs) -> Tensor:
        """The cross-entropy with the smoothed target probabilities, in nats a token."""
        logits = model(batch.source, batch.mask, batch.target)
        return cross_entropy(logits[batch.asked], batch.target[batch.asked], label_smoothing=self.smoothing)


@recipe
class RaceRecipe:
    """The Transformer, or the GRU with attention: as many weights (to within 0.3 %), and the same training.

    Adam's rate rises for a tenth of the steps and falls to zero; without `rate` it is that of RATE.
    """

    kind: Racer = "Transformer"
    seed: Seed = 0
    steps: AtLeast10 = 200
    rate: PositiveFloat | None = None

    def build(self) -> Transformer | Translator:
        """The model at initialisation: 46,438 weights or 46,561."""
        generator = torch.Generator().manual_seed(self.seed)
        vocabularies = len(translation.ENGLISH), len(translation.GERMAN)
        if self.kind == "GRU":
            return fast(Translator(*vocabularies, 28, 54, translation.END, generator))
        return fast(Transformer(*vocabularies, 32, 4, 66, end=translation.END, generator=generator))

    def train(self) -> Transformer | Translator:
        """Train from the start."""
        return _trained(self.build(), self.seed, self.steps, self.steps // 10, self.rate or RATE[self.kind])


MIXED_RATE: dict[str, float] = {"Transformer": 2e-2, "GRU": 4e-2}
"""The best of the same three on batches of mixed lengths, on the same seed; each is the largest of its three."""


@recipe
class MixedRecipe:
    """The racers of RaceRecipe on batches in which sources of all lengths stand together; Adam as torch has it."""

    kind: Racer = "Transformer"
    seed: Seed = 0
    steps: Positive = 100

    def train(self) -> Transformer | Translator:
        """Train from the start, as the page does."""
        model = RaceRecipe(self.kind, self.seed).build()
        optimiser = torch.optim.Adam(model.parameters(), lr=MIXED_RATE[self.kind])
        fit(
            model,
            lambda model, batch: pairs.cost(_logits(model, batch), batch.target, batch.asked),
            pairs.batches(encoded("train", DIGITS, MOST), 64, torch.Generator().manual_seed(1_000 + self.seed)),
            steps=self.steps,
            optimiser=optimiser,
            schedule=one_cycle(optimiser, self.steps),
            clip=1.0,
            label="learning to translate",
        )
        return model.eval()


def xavier(norm: Literal["pre", "post"], num_layers: int, seed: int, d_model: int = 32) -> Transformer:
    """A Transformer whose matrices are drawn as in the paper: uniform in ±√(6 / (inputs + outputs))."""
    generator = torch.Generator().manual_seed(seed)
    sizes = {"d_model": d_model, "d_ff": 4 * d_model, "num_layers": num_layers, "end": translation.END}
    model = Transformer(len(translation.ENGLISH), len(translation.GERMAN), norm=norm, generator=generator, **sizes)
    for part in model.modules():
        if isinstance(part, torch.nn.Linear) and part is not model.output:
            torch.nn.init.xavier_uniform_(part.weight, generator=generator)
    return model


def _trained(model, seed: int, steps: int, warm: int, rate: float):
    """The model after `steps` steps of Adam, on batches of 64 pairs of like length."""
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.98))
    warmed = TransformerRecipe(steps=steps, warm=warm).warmed
    fit(
        model,
        lambda model, batch: cross_entropy(_logits(model, batch)[batch.asked], batch.target[batch.asked]),
        alike(encoded("train", DIGITS, MOST), 64, torch.Generator().manual_seed(1_000 + seed)),
        steps=steps,
        optimiser=optimiser,
        schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, warmed),
        clip=1.0,
        label="learning to translate",
    )
    return model.eval()


def _logits(model: Transformer | Translator, batch: Pairs) -> Tensor:
    found = model(batch.source, batch.mask, batch.target)
    return found if isinstance(model, Transformer) else found.logits


@torch.no_grad()
def exact(model: Transformer | Translator, part: str = "test") -> float:
    """The share of the numbers of one part that are translated without a mistake."""
    asked = encoded(part, DIGITS, MOST)
    written = greedy(model, asked.source, asked.mask, asked.target.shape[1]).tokens
    return pairs.exact(written, asked.target, asked.asked).double().mean().item()


@torch.no_grad()
def cross_entropy_of(model: Transformer | Translator, part: str = "test") -> float:
    """The mean negative log-likelihood of the right tokens, each told the true ones before it, in nats."""
    asked = encoded(part, DIGITS, MOST)
    return pairs.cost(_logits(model, asked), asked.target, asked.asked).item()


def weights(seed: int) -> Path:
    """Where the trained model of a seed lies."""
    return WEIGHTS / f"translator_{seed}.safetensors"


def export() -> None:
    """Train the Transformer of the live figure and write its weights; about a minute."""
    save(weights(0), TransformerRecipe().train()[0], dtype=torch.float16)


def tune() -> None:
    """Print how both sides of the race do with each rate."""
    for name, side in {"Transformer": RaceRecipe(), "GRU": RaceRecipe("GRU")}.items():
        for rate in GRID[name]:
            found = [exact(replace(side, seed=seed, steps=100, rate=rate).train(), "validation") for seed in TUNED_ON]
            print(f"{name:12} {rate}: {sum(found) / len(found):.3f}", flush=True)
