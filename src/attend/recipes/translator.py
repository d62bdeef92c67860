"""The Transformer on numbers of up to 15 digits: task, data and processor time of the translator before it."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import expect
from attend.recipes.translation import alike, encoded
from attend.tasks import pairs, translation
from attend.train.fit import History, fit
from attend.transformers.translator import Transformer

SEEDS = (0, 1, 2)
SMOOTHING = 0.1
"""A tenth of the wanted chance is spread evenly over all words (label smoothing, section 5.4 of the paper)."""


@dataclass(frozen=True)
class TransformerRecipe:
    """One Transformer, Adam with a rate that rises for `warm` steps and then falls as 1 / √step."""

    seed: int = 0
    steps: int = 1_000
    D: int = 64
    K: int = 4
    F: int = 256
    N: int = 2
    order: str = "before"
    positions: str = "sinusoids"
    drop: float = 0.1
    smoothing: float = SMOOTHING
    Q: int | None = None
    R: int | None = None
    residual: bool = True
    rate: float = 4e-3
    warm: int = 200
    digits: int = 15
    most: int = 1_500
    batch: int = 64

    def build(self) -> Transformer:
        """The model before it has seen a number."""
        vocabularies = len(translation.ENGLISH), len(translation.GERMAN)
        sizes = (self.D, self.K, self.F, self.N, self.order, self.positions, self.drop, self.Q, self.R, self.residual)
        generator = torch.Generator().manual_seed(self.seed)
        return Transformer(*vocabularies, *sizes, end=translation.END, generator=generator)

    def train(self, observers: tuple[Callable, ...] = ()) -> tuple[Transformer, History]:
        """Train from the start. What is left out by chance is drawn from a state of its own."""
        expect(0 < self.warm <= self.steps, "warm", self.warm, f"a number of steps up to {self.steps}")
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate, betas=(0.9, 0.98))
        stream = alike(
            encoded("train", self.digits, self.most), self.batch, torch.Generator().manual_seed(1_000 + self.seed)
        )
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(2_000 + self.seed)
            history = fit(
                model,
                self.cost,
                stream,
                steps=self.steps,
                optimiser=optimiser,
                schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, self.warmed),
                clip=1.0,
                observers=observers,
                label="learning to translate",
            )
        return model, history

    def warmed(self, step: int) -> float:
        """The share of the rate at a step: it rises to 1 in `warm` steps, then falls with the root of the step."""
        return min((step + 1) / self.warm, (self.warm / (step + 1)) ** 0.5)

    def cost(self, model: Transformer, batch: pairs.Pairs) -> Tensor:
        """The mean surprise at the smoothed right words, in nats."""
        logits = model(batch.source, batch.visible, batch.target)
        return cross_entropy(logits[batch.asked], batch.target[batch.asked], label_smoothing=self.smoothing)
