"""Clockwork RNNs beside their rivals: 40 ms of "seven" said from memory, and a key recalled over a hundred steps."""

import time
from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.gating.lstm import LSTM
from attend.memory.clockwork import Clockwork
from attend.memory.dilated import Dilated
from attend.memory.elman import RNN
from attend.recipes import WEIGHTS
from attend.recipes.lstm import evenly_
from attend.recipes.many_to_one import ManyToOne
from attend.tasks import distractors, wave
from attend.train.checkpoint import load, save
from attend.train.fit import fit

DATA = ("recipes/weights/clockwork_0*",)
PERIODS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
"""The clocks of the network that says a word."""
LATEST = 16
"""Before which step the key of the recall comes, where it may come at any step."""
GRID = (1e-3, 3e-3, 1e-2, 3e-2)
TUNED_ON = (100, 101)

Voice = Literal["clockwork", "rnn", "rnn_default", "lstm", "lstm_5"]
VOICES: tuple[str, ...] = get_args(Voice)
"""A clockwork RNN; a vanilla RNN, orthogonal and as torch draws it; an LSTM with a forget bias of 1, and of 5."""
VOICE_RATE: dict[str, float] = {"clockwork": 3e-2, "rnn": 1e-3, "rnn_default": 1e-3, "lstm": 1e-2, "lstm_5": 3e-3}
"""Adam's rate: the best of GRID on the seeds of TUNED_ON (`tune`)."""

Network = Literal["rnn", "clockwork", "dilated", "lstm"]
NETWORKS: tuple[str, ...] = get_args(Network)
RATE: dict[str, float] = {"rnn": 1e-2, "clockwork": 1e-2, "dilated": 1e-2, "lstm": 1e-2}
"""Adam's rate for the recall: the best of three where the key may come at any step, on the seeds of TUNED_ON.

Of equals, to within a hundredth, 1e-2.
"""


class ManyToMany(nn.Module):
    """A recurrent layer and, at each step, one number read off its hidden state."""

    def __init__(self, rnn: nn.Module):
        super().__init__()
        self.rnn, self.readout = rnn, nn.Linear(rnn.hidden_size, 1)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The number at each step, (B, T), and the hidden states, (B, T, H)."""
        hidden, _ = self.rnn(x)
        return self.readout(hidden).squeeze(-1), hidden


def weights(model: nn.Module) -> int:
    """How many numbers training can change: the entries of U that a clockwork keeps at zero do not count."""
    silent = sum(int((~part.reach).sum()) for part in model.modules() if isinstance(part, Clockwork))
    return sum(p.numel() for p in model.parameters()) - silent


@recipe
class WaveRecipe:
    """The wave from a start signal: 27 hidden units in 9 modules, 21 of a vanilla RNN, or 10 cells of an LSTM.

    With the readout that is 487, 505 and 491 weights.
    """

    network: Voice = "clockwork"
    seed: NonNegative = 0
    steps: Positive = 1_500
    rate: PositiveFloat | None = None

    def build(self) -> ManyToMany:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        makes = {
            "clockwork": lambda: Clockwork(1, 3, PERIODS),
            "rnn": lambda: RNN(1, 21),
            "rnn_default": lambda: nn.RNN(1, 21, batch_first=True),
            "lstm": lambda: LSTM(1, 10),
            "lstm_5": lambda: LSTM(1, 10, forget_bias=5.0),
        }
        return fast(ManyToMany(makes[self.network]()))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """The one start signal (1, T, 1) and the one wave (T), again and again."""
        wanted = wave.recording()
        while True:
            yield wave.start_signal(len(wanted)), wanted

    def train(self, callbacks=()) -> ManyToMany:
        """Train from the start; the rate falls to zero along a cosine."""
        model = self.build()
        optimiser = torch.optim.Adam(model.parameters(), lr=self.rate or VOICE_RATE[self.network], betas=(0.9, 0.99))
        fit(
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
        return model

    @torch.no_grad()
    def error(self, model: ManyToMany) -> float:
        """The mean squared error of the wave it makes, over the variance of the true one."""
        wanted = wave.recording()
        return wave.cost(model(wave.start_signal(len(wanted)))[0], wanted).item()

    def load(self) -> ManyToMany:
        """The trained clockwork of seed 0, from the weights that came with the package."""
        return load(WEIGHTS / "clockwork_0.safetensors", self.build()).eval()


@recipe
class RecallRecipe:
    """A key from step 0 recalled at step 127, or (`anywhere`) one from any of the first 16 steps, at step 63.

    About 1,700 weights each.
    """

    network: Network = "clockwork"
    anywhere: bool = False
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> ManyToOne:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        makes = {
            "rnn": lambda: RNN(8, 35),
            "clockwork": lambda: Clockwork(8, 6, PERIODS[:8]),
            "dilated": lambda: Dilated(8, 11, 7),
            "lstm": lambda: evenly_(LSTM(8, 16), 256.0),
        }
        return fast(ManyToOne(makes[self.network](), 4))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless sequences and keys, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield self.draw(32, generator)[:2]

    def draw(self, batch: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Sequences, keys, and where the keys stand."""
        return distractors.anywhere(batch, *((64, LATEST) if self.anywhere else (128, 1)), generator)

    def train(self, callbacks=()) -> ManyToOne:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            lambda model, batch: cross_entropy(model(batch[0]), batch[1]),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.network]),
            clip=1.0,
            callbacks=callbacks,
            label=f"{self.network}, {'any step' if self.anywhere else 'step 0'}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def right(self, model: ManyToOne, batch: int = 3_200) -> tuple[Tensor, Tensor]:
        """On new sequences: whether the answer is right, and at which step the key came; both (B)."""
        x, key, at = self.draw(batch, torch.Generator().manual_seed(2_000 + self.seed))
        return model(x).argmax(dim=1) == key, at


def tune() -> None:
    """Print how each network does with each rate on the seeds of TUNED_ON, after 300 steps and 600 of the recall."""
    for network in VOICES:
        for rate in GRID:
            recipes = [WaveRecipe(network, seed, 300, rate) for seed in TUNED_ON]
            found = [one.error(one.train()) for one in recipes]
            print(f"wave, {network}, {rate:g}: {' '.join(f'{error:.3f}' for error in found)}", flush=True)
    for network in NETWORKS:
        for rate in GRID[1:]:
            recipes = [RecallRecipe(network, True, seed, 600, rate) for seed in TUNED_ON]
            found = [one.right(one.train())[0].float().mean().item() for one in recipes]
            print(f"recall, {network}, {rate:g}: {' '.join(f'{right:.3f}' for right in found)}", flush=True)


def export() -> None:
    """Train the clockwork of seed 0 and write its weights; about a minute on one thread."""
    one, began = WaveRecipe(), time.perf_counter()
    model = one.train()
    save(WEIGHTS / "clockwork_0.safetensors", model)
    print(f"{weights(model)} weights, error {one.error(model):.4f}, {time.perf_counter() - began:.0f} s")
