"""A network learns to count entrances into a band from fourteen days of weather; beside it a small one, and tanh.

An earlier recipe, with a rate that only falls and gradients of up to 1, failed with one of the two seeds that judged it
first, 10 and 11; this one was chosen on other seeds, and others judge it.
"""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor
from torch.nn.functional import mse_loss

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.memory.interval import CountingRNN
from attend.tasks import crossings, temperature
from attend.train.fit import fit

Kind = Literal["relu", "tanh", "small"]
KINDS: tuple[str, ...] = get_args(Kind)
DAYS = 14
"""How long the windows of training are."""
GRID: dict[str, tuple[float, float]] = {"relu": (1e-2, 2e-2), "tanh": (1e-2, 2e-2), "small": (2e-2, 4e-2)}
TUNED_ON = tuple(range(100, 108))
RATE: dict[str, float] = {"relu": 2e-2, "tanh": 2e-2, "small": 2e-2}
"""Adam's highest rate for each kind of network: the better one of GRID on the seeds of TUNED_ON (`tune`)."""


@recipe
class IntervalRecipe:
    """16 features and 32 hidden units with ReLU or tanh (1,633 weights); small: 4 and 3, enough for the counter."""

    kind: Kind = "relu"
    seed: NonNegative = 0
    steps: Positive = 1_200
    rate: PositiveFloat | None = None

    def build(self) -> CountingRNN:
        """The network before training."""
        torch.manual_seed(self.seed)
        if self.kind == "small":
            return CountingRNN(features=4, hidden_size=3)
        return CountingRNN(features=16, hidden_size=32, activation=getattr(torch, self.kind))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless windows of 2012 to 2014."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield temperature.windows(64, DAYS, generator=generator)

    def train(self, callbacks=()) -> CountingRNN:
        """Train from the start, with the count of every day; the rate rises for a sixth of the steps, then falls."""
        model, rate = self.build(), self.rate or RATE[self.kind]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        rises = {"pct_start": 1 / 6, "cycle_momentum": False}
        fit(
            model,
            lambda model, batch: mse_loss(model(batch[0])[0], batch[1].float()),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=self.steps, **rises),
            clip=0.1,
            callbacks=callbacks,
            label=f"counting entrances, {self.kind}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def exact(self, model: CountingRNN, days: Positive = DAYS) -> float:
        """The share of 2,000 windows of 2015 after whose last day the count is right."""
        x, counts = temperature.windows(2_000, days, "test", torch.Generator().manual_seed(2_000 + self.seed))
        return crossings.exact(model(x)[0].round().long(), counts)


def tune() -> None:
    """Print how each kind does with each rate of GRID on the seeds of TUNED_ON, on other windows of 2012 to 2014."""
    for kind in KINDS:
        for rate in GRID[kind]:
            found = []
            for seed in TUNED_ON:
                model = IntervalRecipe(kind, seed, rate=rate).train()
                with torch.no_grad():
                    x, counts = temperature.windows(2_000, DAYS, generator=torch.Generator().manual_seed(3_000 + seed))
                    found.append(crossings.exact(model(x)[0].round().long(), counts))
            print(f"{kind}, {rate:g}: {' '.join(f'{exact:.3f}' for exact in found)}", flush=True)
