"""Counters that are learned from examples: stacks of RNN, GRU and LSTM layers, with three read-outs."""

from collections.abc import Callable, Iterator
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, mse_loss

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN
from attend.tasks import crossings
from attend.train.fit import fit

LAYERS = {"rnn": RNN, "gru": GRU, "lstm": LSTM}
STEPS = 30
"""Steps of the series that are learned from. Hardly one in a thousand enters the interval more than five times."""

V = 20
"""Counts among which the softmax chooses: 0 to 19."""

GRID = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1)
TUNED_ON = (100,)

RATES: dict[tuple[str, int, str], float] = {
    ("rnn", 1, "scalar"): 3e-3,
    ("rnn", 2, "scalar"): 1e-2,
    ("gru", 1, "scalar"): 1e-1,
    ("gru", 2, "scalar"): 1e-1,
    ("gru", 2, "softmax"): 1e-1,
    ("gru", 2, "sum"): 1e-1,
    ("lstm", 1, "scalar"): 1e-1,
    ("lstm", 2, "scalar"): 3e-2,
}
"""Adam's rate at its highest by layer, number of layers (three take that of two) and read-out.

The best of GRID on the seed of TUNED_ON (`tune`).
"""

EQUAL: dict[tuple[str, int], int] = {
    ("rnn", 1): 48,
    ("rnn", 2): 28,
    ("gru", 1): 27,
    ("gru", 2): 16,
    ("gru", 3): 12,
    ("lstm", 1): 24,
    ("lstm", 2): 14,
}
"""The widths with which all have as many weights as two GRU layers of 16, to within 7 %."""


class SummedCounter(LearnedCounter):
    """The head says how likely this step is an entrance; the count is the sum of what it said so far, rounded."""

    def forward(self, x: Tensor) -> tuple[Tensor, list[Tensor]]:
        """As of a scalar read-out: (B, T, 1), and the hidden states."""
        outputs, hidden = super().forward(x)
        return outputs.sigmoid().cumsum(dim=1), hidden


@recipe
class CounterRecipe:
    """A stack and a read-out, trained with the true count after every step of new series."""

    layer: Literal["rnn", "gru", "lstm"] = "gru"
    num_layers: Positive = 2
    hidden_size: Positive = 16
    readout: Literal["scalar", "softmax", "sum"] = "scalar"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> LearnedCounter:
        """The counter before training."""
        torch.manual_seed(self.seed)
        stack = Stacked(LAYERS[self.layer], 1, self.hidden_size, self.num_layers)
        kind = SummedCounter if self.readout == "sum" else LearnedCounter
        return fast(kind(stack, V if self.readout == "softmax" else 1))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless series and counts, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield crossings.sample(64, STEPS, generator=generator)

    def train(self, callbacks=()) -> LearnedCounter:
        """Train from the start; the rate falls to zero along a cosine."""
        model = self.build()
        rate = self.rate or RATES[self.layer, min(self.num_layers, 2), self.readout]
        optimiser = torch.optim.Adam(model.parameters(), lr=rate)
        fit(
            model,
            loss_of(self.readout),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.num_layers} x {self.layer}, {self.readout}, seed {self.seed}",
        )
        return model

    def test_set(self, steps: int = STEPS) -> tuple[Tensor, Tensor]:
        """2,000 new series and their counts."""
        return crossings.sample(2_000, steps, generator=torch.Generator().manual_seed(2_000 + self.seed))

    def exact(self, model: LearnedCounter) -> float:
        """The share of new series whose last count is right."""
        x, counts = self.test_set()
        return crossings.exact(model.count(x), counts)


def loss_of(readout: str) -> Callable[[nn.Module, tuple[Tensor, Tensor]], Tensor]:
    """The mean over all steps of the cross-entropy, for a softmax, or of the squared error."""

    def loss(model: nn.Module, batch: tuple[Tensor, Tensor]) -> Tensor:
        x, counts = batch
        outputs, _ = model(x)
        if readout == "softmax":
            return cross_entropy(outputs.flatten(0, 1), counts.flatten())
        return mse_loss(outputs.squeeze(2), counts.float())

    return loss


def tune() -> None:
    """Print how every kind of counter in RATES does with every rate of GRID."""
    for layer, num_layers, readout in RATES:
        for rate in GRID:
            width = EQUAL[layer, num_layers]
            recipes = [CounterRecipe(layer, num_layers, width, readout, seed, rate=rate) for seed in TUNED_ON]
            found = [one.exact(one.train()) for one in recipes]
            said = ", ".join(f"{exact:.3f}" for exact in found)
            print(f"{num_layers} x {layer:4} {readout:7} {rate}: {said}", flush=True)
