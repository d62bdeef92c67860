"""A vanilla RNN learns a switch: to hold one bit, and to hold a number; beside it what has no tanh, or no state."""

from collections.abc import Iterator
from typing import Literal, get_args

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from attend.core.expect import recipe
from attend.core.types import NonNegative, Positive, PositiveFloat
from attend.fast import fast
from attend.memory.elman import RNN
from attend.tasks import switch
from attend.train.fit import fit

Network = Literal["rnn", "linear", "window"]
NETWORKS: tuple[str, ...] = get_args(Network)
WINDOW = 20
"""How many inputs the network without a state sees."""
STEPS = 50
"""How long the streams of training are."""
GRID = (3e-3, 1e-2, 3e-2)
TUNED_ON = (100, 101)
RATE: dict[str, float] = {"rnn": 1e-2, "linear": 1e-2, "window": 3e-2}
"""Adam's rate for each network: the best of GRID on the seeds of TUNED_ON (`tune`)."""


class Linear(RNN):
    """The same layer without tanh."""

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step, a linear one."""
        return self.from_input(x) + self.from_hidden(h)


class Window(nn.Module):
    """A network without a state, which sees the last WINDOW inputs at every step."""

    def __init__(self, hidden_size: int):
        super().__init__()
        self.hidden_size = hidden_size
        self.sees = nn.Conv1d(1, hidden_size, WINDOW)

    def forward(self, x: Tensor) -> tuple[Tensor, None]:
        """Inputs (B, T, 1) to hidden values (B, T, H)."""
        padded = nn.functional.pad(x.mT, (WINDOW - 1, 0))
        return torch.tanh(self.sees(padded)).mT, None


class Reader(nn.Module):
    """A network, and one number read off its hidden state at every step."""

    def __init__(self, network: nn.Module):
        super().__init__()
        self.network, self.head = network, nn.Linear(network.hidden_size, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Inputs (B, T, D) to numbers (B, T)."""
        return self.head(self.network(x)[0]).squeeze(2)


@recipe
class SwitchRecipe:
    """Is the light on? 8 hidden units with tanh or without (89 weights), or 64 that see a window (1,409 weights)."""

    network: Network = "rnn"
    seed: NonNegative = 0
    steps: Positive = 400
    rate: PositiveFloat | None = None

    def build(self) -> Reader:
        """The network at initialisation."""
        torch.manual_seed(self.seed)
        makes = {"rnn": lambda: RNN(1, 8), "linear": lambda: Linear(1, 8), "window": lambda: Window(64)}
        return fast(Reader(makes[self.network]()))

    def batches(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Endless streams, seeded apart from those that judge."""
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        while True:
            yield switch.sample(64, STEPS, generator)

    def train(self, callbacks=()) -> Reader:
        """Train from the start."""
        model = self.build()
        fit(
            model,
            lambda model, batch: binary_cross_entropy_with_logits(model(batch[0]), batch[1].float()),
            self.batches(),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate or RATE[self.network]),
            clip=1.0,
            callbacks=callbacks,
            label=f"switch, {self.network}, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def judged(self, model: Reader, steps: int = 1_000) -> tuple[Tensor, Tensor]:
        """On 200 new streams, at every step: whether it is right (B, T), and how old the last pulse is."""
        x, on = switch.sample(200, steps, torch.Generator().manual_seed(2_000 + self.seed))
        return (model(x) > 0) == on, switch.age(x[:, :, 0])


@recipe
class HoldRecipe:
    """Hold a number: 32 hidden units of a vanilla RNN, streams of 50 steps."""

    seed: NonNegative = 0
    steps: Positive = 1_500
    rate: PositiveFloat = 3e-3
    hidden_size: Positive = 32

    def train(self, callbacks=()) -> Reader:
        """Train from the start."""
        torch.manual_seed(self.seed)
        model = fast(Reader(RNN(2, self.hidden_size)))
        generator = torch.Generator().manual_seed(1_000 + self.seed)
        fit(
            model,
            lambda model, batch: mse_loss(model(batch[0]), batch[1]),
            iter(lambda: switch.hold(64, STEPS, generator), None),
            steps=self.steps,
            optimiser=torch.optim.Adam(model.parameters(), lr=self.rate),
            clip=1.0,
            callbacks=callbacks,
            label=f"sample and hold, seed {self.seed}",
        )
        return model

    @torch.no_grad()
    def explained(self, model: Reader, youngest: NonNegative, oldest: Positive) -> float:
        """R² on 3,000 new streams of 250 steps, where the number is `youngest` steps old or more, up to `oldest`."""
        x, number, age = switch.hold(3_000, 250, torch.Generator().manual_seed(2_000 + self.seed))
        of = (age >= youngest) & (age < oldest)
        return 1 - ((model(x) - number).square()[of].mean() / number[of].var()).item()


def tune() -> None:
    """Print, for each network and rate of GRID, the share of right steps on the seeds of TUNED_ON; R² of a number."""
    for network in NETWORKS:
        for rate in GRID:
            recipes = [SwitchRecipe(network, seed, rate=rate) for seed in TUNED_ON]
            right = [recipe.judged(recipe.train(), 200)[0].float().mean().item() for recipe in recipes]
            print(f"{network}, {rate:g}: {sum(right) / len(right):.4f}", flush=True)
    for rate in GRID:
        holds = [HoldRecipe(seed, rate=rate) for seed in TUNED_ON]
        found = [recipe.explained(recipe.train(), 0, STEPS) for recipe in holds]
        print(f"a number, {rate:g}: {sum(found) / len(found):.4f}", flush=True)
