"""Recall over a lag, with and without clipping: trained in a second or two, to see long gradients throw it off."""

from collections.abc import Iterator

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import NonNegativeFloat, Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.gradients import RecallRNN
from attend.tasks import recall
from attend.train.fit import History, fit


@recipe
class RecallRecipe:
    """Plain gradient descent on the recall task. `clip` bounds the length of each gradient; None leaves it alone."""

    lag: Positive = 29
    H: Positive = 16
    radius: NonNegativeFloat = 1.05
    batch: Positive = 32
    steps: Positive = 400
    learning_rate: PositiveFloat = 0.7
    clip: PositiveFloat | None = 0.1
    seed: Seed = 0
    fast: bool = True

    def build(self) -> RecallRNN:
        """The model before training."""
        model = RecallRNN(1, self.H, self.radius, torch.Generator().manual_seed(self.seed))
        return fast(model) if self.fast else model

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless series and answers (B, T, 1) and (B), seeded apart from those that the model is judged on."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield recall.sample(self.batch, self.lag, generator)

    def train(self) -> tuple[RecallRNN, History]:
        """Train from the start; one to two seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.SGD(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, batch: recall.cost(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            clip=self.clip,
            label="learning to recall",
        )
        return model, history

    def judge(self, model: RecallRNN) -> float:
        """The mean squared error of `model` on 2,000 new series."""
        x, number = recall.sample(2_000, self.lag, torch.Generator().manual_seed(99))
        with torch.no_grad():
            return recall.cost(model(x), number).item()
