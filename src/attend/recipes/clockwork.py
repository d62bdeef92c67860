"""Two networks that say 40 ms of "seven" by heart: a clockwork and a plain unit with as many weights."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
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


class Spoken(nn.Module):
    """A recurrent unit and a linear read-out of one number a step: y_t = R h_t + c."""

    def __init__(self, unit: Clockwork | Delayed | RNN, generator: torch.Generator | None = None):
        super().__init__()
        self.unit = unit
        bound = unit.hidden_size**-0.5
        self.R = nn.Parameter(torch.empty(1, unit.hidden_size).uniform_(-bound, bound, generator=generator))
        self.c = nn.Parameter(torch.zeros(1))

    @property
    def weights(self) -> int:
        """How many numbers training can change; the entries of U that a clockwork keeps at zero do not count."""
        unit = self.unit
        inner = unit.weights if isinstance(unit, Clockwork) else sum(p.numel() for p in unit.parameters())
        return inner + self.R.numel() + self.c.numel()

    @checked
    def forward(self, x: Float[Tensor, "B T D"]) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B T H"]]:
        """The wave (B, T) and what the units held meanwhile (B, T, H)."""
        held, _ = self.unit(x)
        return self.say(held), held

    @checked
    def say(self, held: Float[Tensor, "B T H"]) -> Float[Tensor, "B T"]:
        """The wave that the read-out makes of what the units hold."""
        return (held @ self.R.T)[..., 0] + self.c


@dataclass(frozen=True)
class WaveRecipe:
    """`network` is "clockwork" (27 units in 9 groups, 487 weights) or "plain" (21 units, 505 weights).

    Learning rates from .003 to .06 were tried for the clockwork and from .0005 to .03 for the plain unit, over three
    seeds; each keeps the one that served it best. The plain unit starts as a rotation of radius 1: from uniform and
    Gaussian starts it did not leave the wave's mean, and a radius of 1.1 served it no better.
    """

    network: str = "clockwork"
    seed: int = 0
    fast: bool = True
    steps: int = 1500

    def __post_init__(self):
        expect(self.network in ("clockwork", "plain"), "network", self.network, "'clockwork' or 'plain'")

    def build(self) -> Spoken:
        """The network before training."""
        generator = torch.Generator().manual_seed(self.seed)
        if self.network == "clockwork":
            model = Spoken(Clockwork(1, 3 * len(PERIODS), PERIODS, generator), generator)
            return fast(model) if self.fast else model
        model = Spoken(RNN(1, 21, generator=generator), generator)
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

    def train(self, callbacks=()) -> tuple[Spoken, History]:
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

    def load(self) -> Spoken:
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
