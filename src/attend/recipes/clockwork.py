"""Two networks that say 40 ms of "seven" by heart: a clockwork and a plain unit with as many weights."""

import time
from collections.abc import Iterator
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, recipe
from attend.core.init import linear_
from attend.core.types import Positive, Seed
from attend.fast import fast
from attend.memory.clockwork import Clockwork
from attend.memory.delays import Delayed
from attend.memory.elman import RNN
from attend.recipes import WEIGHTS
from attend.tasks import wave
from attend.train.checkpoint import load, save
from attend.train.fit import History, fit

DATA = ("recipes/weights/clockwork_*",)
PERIODS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
SEEDS = (0, 1, 2)


class ManyToMany(nn.Module):
    """A recurrent layer and, at each step, one number read from the hidden state by a linear layer."""

    def __init__(self, rnn: Clockwork | Delayed | RNN, generator: torch.Generator | None = None):
        super().__init__()
        self.rnn = rnn
        self.readout = linear_(nn.Linear(rnn.hidden_size, 1), generator)

    @property
    def weights(self) -> int:
        """How many numbers training can change; the entries of U that a clockwork keeps at zero do not count."""
        inner = self.rnn.weights if isinstance(self.rnn, Clockwork) else _size(self.rnn)
        return inner + _size(self.readout)

    @checked
    def forward(self, x: Float[Tensor, "B T D"]) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B T H"]]:
        """The number at each step, and the hidden states."""
        hidden, _ = self.rnn(x)
        return self.readout(hidden).squeeze(-1), hidden


def _size(part: nn.Module) -> int:
    return sum(p.numel() for p in part.parameters())


@recipe
class WaveRecipe:
    """`network` is "clockwork" (27 units in 9 groups, 487 weights) or "plain" (21 units, 505 weights).

    Learning rates from .003 to .06 were tried for the clockwork and from .0005 to .03 for the plain unit, over three
    seeds; each keeps the one that served it best. The plain unit starts as a rotation of radius 1: from uniform and
    Gaussian starts it did not leave the wave's mean, and a radius of 1.1 served it no better.
    """

    network: Literal["clockwork", "plain"] = "clockwork"
    seed: Seed = 0
    fast: bool = True
    steps: Positive = 1500

    def build(self) -> ManyToMany:
        """The network before training."""
        generator = torch.Generator().manual_seed(self.seed)
        if self.network == "clockwork":
            model = ManyToMany(Clockwork(1, 3 * len(PERIODS), PERIODS, generator), generator)
            return fast(model) if self.fast else model
        model = ManyToMany(RNN(1, 21, generator=generator), generator)
        return fast(model) if self.fast else model

    @property
    def learning_rate(self) -> float:
        """The highest rate of Adam; it falls to zero along a cosine."""
        return 3e-2 if self.network == "clockwork" else 2e-3

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """The one start signal (1, T, 1) and the one wave (T), again and again."""
        wanted = wave.recording()
        while True:
            yield wave.start_signal(len(wanted)), wanted

    def train(self, callbacks=()) -> tuple[ManyToMany, History]:
        """Train from the start: about 20 ms a step on one thread."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.learning_rate, betas=(0.9, 0.99))
        history = fit(
            model,
            lambda model, batch: wave.cost(model(batch[0])[0], batch[1]).mean(),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, self.steps),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.network}, seed {self.seed}",
        )
        return model, history

    def load(self) -> ManyToMany:
        """The trained network, from the weights that came with the package (float32: it runs 320 steps on its own)."""
        return load(WEIGHTS / f"clockwork_{self.network}_{self.seed}.safetensors", self.build()).eval()


def export() -> None:
    """Train both networks with three seeds and write their weights; about five minutes on one thread."""
    for network in ("clockwork", "plain"):
        for seed in SEEDS:
            recipe, began = WaveRecipe(network, seed), time.perf_counter()
            model, history = recipe.train()
            save(WEIGHTS / f"clockwork_{network}_{seed}.safetensors", model)
            took = time.perf_counter() - began
            print(f"{network}, seed {seed}: {model.weights} weights, error {history.losses[-1]:.4f}, {took:.0f} s")
