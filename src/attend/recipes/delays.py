"""Forecasts of the temperature in twelve hours: a unit with a delay line beside a plain unit with as many weights."""

import time
from collections.abc import Iterator
from typing import Literal

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.delays import Delayed
from attend.memory.elman import RNN
from attend.recipes import WEIGHTS
from attend.recipes.clockwork import SEEDS, ManyToMany
from attend.tasks import forecast
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/delays_*",)
DELAYS = (0, 12, 24)


@recipe
class ForecastRecipe:
    """`delay` is 12 or 24 hours (8 units, 153 weights), or 0 for the plain unit without one (11 units, 155 weights).

    All train alike. The learning rate, one of .003, .01 and .03, was chosen on the months of training, where .01 or
    its neighbour did best for each.
    """

    delay: Literal[0, 12, 24] = 12
    seed: Seed = 0
    fast: bool = True
    steps: Positive = 800
    batch: Positive = 32
    learning_rate: PositiveFloat = 1e-2

    def build(self) -> ManyToMany:
        """The network before training."""
        generator = torch.Generator().manual_seed(self.seed)
        rnn = Delayed(1, 8, self.delay, generator=generator) if self.delay else RNN(1, 11, generator=generator)
        model = ManyToMany(rnn, generator)
        return fast(model) if self.fast else model

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless windows from January to September."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield forecast.sample(self.batch, generator)

    def train(self) -> tuple[ManyToMany, History]:
        """Train from the start: about 10 ms a step on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: forecast.cost(model(batch[0])[0], batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            label=f"delay {self.delay} h, seed {self.seed}",
        )
        return model, history

    def load(self) -> ManyToMany:
        """The trained network, from the weights that came with the package."""
        return load(WEIGHTS / f"delays_{self.delay}_{self.seed}.safetensors", self.build()).eval()


def export() -> None:
    """Train all three delays with three seeds and write their weights; about a minute and a half on one thread."""
    for delay in DELAYS:
        for seed in SEEDS:
            recipe, began = ForecastRecipe(delay, seed), time.perf_counter()
            model, history = recipe.train()
            save(WEIGHTS / f"delays_{delay}_{seed}.safetensors", model)
            took = time.perf_counter() - began
            last = sum(history.losses[-50:]) / 50
            print(f"delay {delay}, seed {seed}: {model.weights} weights, error {last:.4f}, {took:.0f} s")
