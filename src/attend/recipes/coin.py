"""An RNN that reads coin flips, trained to predict the next flip of coins of unknown bias."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.memory.coin import CoinRNN, Memory, read
from attend.recipes import WEIGHTS
from attend.tasks import coin
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/coin.*",)
GRID = (3e-3, 1e-2, 3e-2)
TUNED_ON = (100, 101)
"""The seeds on which the learning rates of GRID were tried (`tune`): 0.01 and 0.03 did equally well."""


@recipe
class CoinRecipe:
    """The network's width, the flips that it sees of each coin, and the steps of Adam, with a cosine schedule.

    `sticky` coins repeat their last flip with a probability of their own.
    """

    H: Positive = 12
    T: Positive = 20
    batch: Positive = 128
    steps: Positive = 1_500
    learning_rate: PositiveFloat = 1e-2
    sticky: bool = False
    seed: NonNegative = 0

    def build(self) -> CoinRNN:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        return CoinRNN(self.H)

    def batches(self) -> Iterator[Tensor]:
        """Endless streams of flips (B, T + 1), seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        draw = coin.sample_sticky if self.sticky else coin.sample
        while True:
            yield draw(self.batch, self.T + 1, generator)[0]

    def train(self) -> tuple[CoinRNN, History]:
        """Train from the start; some ten seconds on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate)
        history = fit(
            model,
            lambda model, flips: binary_cross_entropy(read(model, flips[:, :-1]), flips[:, 1:]),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            label=f"coin flips, seed {self.seed}",
        )
        return model, history

    def load(self) -> CoinRNN:
        """The trained network, from the weights that came with the package."""
        return load(WEIGHTS / "coin.safetensors", self.build())


@torch.no_grad()
def bits(memory: Memory, flips: Tensor) -> Tensor:
    """What each flip but the first costs on average over the streams (B, T): -log2 of its probability, (T - 1)."""
    probs = read(memory, flips[:, :-1])
    return binary_cross_entropy(probs, flips[:, 1:], reduction="none").mean(dim=0) / math.log(2)


def export() -> None:
    """Train the recipe and write its weights."""
    save(WEIGHTS / "coin.safetensors", CoinRecipe().train()[0], dtype=torch.float16)


def tune() -> None:
    """Print the bits a flip on new coins for each rate of GRID, on the seeds of TUNED_ON."""
    for rate in GRID:
        for seed in TUNED_ON:
            test = coin.sample(20_000, 21, torch.Generator().manual_seed(2_000 + seed))[0]
            model = CoinRecipe(learning_rate=rate, seed=seed).train()[0]
            print(f"{rate:g}, seed {seed}: {bits(model, test).mean():.5f} bits a flip", flush=True)
