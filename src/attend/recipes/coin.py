"""An RNN that reads coin flips: trained in a few seconds to predict the next flip of coins of unknown bias."""

from collections.abc import Iterator

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.fast import fast
from attend.memory.coin import CoinRNN
from attend.recipes import WEIGHTS
from attend.tasks import coin
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/coin.*",)


@recipe
class CoinRecipe:
    """The RNN's width, the length of the sequences, and the steps of Adam, with a cosine schedule."""

    H: Positive = 12
    T: Positive = 20
    batch: Positive = 256
    steps: Positive = 900
    learning_rate: PositiveFloat = 1e-2
    seed: Seed = 0
    fast: bool = True

    def build(self) -> CoinRNN:
        """The model before it has seen a flip."""
        model = CoinRNN(self.H, torch.Generator().manual_seed(self.seed))
        return fast(model) if self.fast else model

    def batches(self) -> Iterator[Tensor]:
        """Endless streams of flips (B, T + 1), seeded apart from the streams that pages test with."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield coin.sample(self.batch, self.T + 1, generator)[0]

    def train(self) -> tuple[CoinRNN, History]:
        """Train from the start; about five seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps)
        history = fit(
            model,
            lambda model, flips: coin.cost(model(flips[:, :-1])[0], flips[:, 1:]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=schedule,
            clip=1.0,
            label="learning to count flips",
        )
        return model, history

    def load(self) -> CoinRNN:
        """The trained model, from the weights that came with the package."""
        return load(WEIGHTS / "coin.safetensors", self.build())


def export() -> None:
    """Train the recipe and write its weights."""
    save(WEIGHTS / "coin.safetensors", CoinRecipe().train()[0], dtype=torch.float16)
