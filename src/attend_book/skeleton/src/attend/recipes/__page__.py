"""__open__: what is trained, and on what."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.__part__.__page__ import __Page__
from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.tasks import distractors
from attend.train.fit import History, fit


class Recaller(nn.Module):
    """__open__: the model of this recipe. Until then: the layer, and a linear head that reads its last step."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.layer = __Page__(8, hidden_size)
        self.head = nn.Linear(hidden_size, 4)

    def forward(self, x: Tensor) -> Tensor:
        """The logits of the four keys, (B, 4)."""
        return self.head(self.layer(x)[:, -1])


@recipe
class __Page__Recipe:
    """__open__: which settings were tried, and on what they were chosen.

    Where training takes longer than a page can wait, `export` and `load` join it: see recipes/clockwork.py.
    """

    seed: Seed = 0
    steps: Positive = 100
    hidden_size: Positive = 16
    learning_rate: PositiveFloat = 1e-2
    lag: Positive = 10

    def build(self) -> Recaller:
        """The model before training."""
        with torch.random.fork_rng():
            torch.manual_seed(self.seed)
            return Recaller(self.hidden_size)

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless data."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield distractors.sample(32, self.lag, generator)

    def train(self) -> tuple[Recaller, History]:
        """Train from the start."""
        model = self.build()
        history = fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.learning_rate),
            clip=1.0,
            label=f"__page__, seed {self.seed}",
        )
        return model.eval(), history
