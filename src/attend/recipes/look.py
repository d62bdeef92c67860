"""One look among marked places, taught in five ways, and what it knows after every few steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from attend.core.expect import recipe
from attend.core.types import Positive, PositiveFloat, Seed
from attend.hard.look import (
    OneStepAttention,
    hard_loss,
    log_marginal,
    log_probs_of_each,
    lower_bound,
    predict,
    soft_log_prob,
)
from attend.tasks import marked
from attend.train.fit import TrainStep, fit

SEEDS = (0, 1, 2)
WAYS = ("soft", "marginal", "bound", "hard", "hard, baseline")
"""By what is climbed: three exact aims, and the estimate of the bound from one look, without and with a baseline."""

HELD_OUT = 2_000


@dataclass(frozen=True)
class Knows:
    """After `step` steps: the share of right answers by reading.

    Readings are "mean", "largest", "mixture", and "drawn", which is the expected share over all looks.
    """

    step: int
    right: dict[str, float]


@recipe
class LookRecipe:
    """A looker taught in one of WAYS, from new examples at each step of Adam.

    Rates of .003, .01 and .03 were tried with seed 7 and other weights; .03 served every way best.
    """

    way: Literal["soft", "marginal", "bound", "hard", "hard, baseline"] = "soft"
    seed: Seed = 0
    S: Positive = 32
    bearers: Positive = 1
    steps: Positive = 600
    batch: Positive = 64
    rate: PositiveFloat = 0.03

    def build(self) -> OneStepAttention:
        """The looker with its first random weights: the same for all ways of one seed."""
        return OneStepAttention(marked.MARKS, marked.LETTERS, generator=self._seeded(0))

    def batches(self) -> Iterator[marked.Places]:
        """Endless new examples, the same for all ways of one seed."""
        generator = self._seeded(1)
        while True:
            yield marked.sample(self.batch, self.S, self.bearers, generator)

    def held_out(self) -> marked.Places:
        """Examples to judge with, the same for all seeds; none is learned from."""
        return marked.sample(HELD_OUT, self.S, self.bearers, torch.Generator().manual_seed(1_000_000))

    def train(self, every: int = 10) -> tuple[OneStepAttention, list[Knows]]:
        """The taught looker, and what it knew before, and after each `every` steps."""
        model, examples = self.build(), self.held_out()
        known = [Knows(0, right(model, examples))]

        def judge(state: TrainStep) -> None:
            if state.step % every == 0:
                known.append(Knows(state.step, right(state.model, examples)))

        optimiser, looks = torch.optim.Adam(model.parameters(), lr=self.rate), self._seeded(2)
        fit(
            model,
            lambda model, batch: cost(self.way, model, batch, looks),
            self.batches(),
            steps=self.steps,
            optimiser=optimiser,
            callbacks=[judge],
            label=self.way,
        )
        return model, known

    def _seeded(self, stream: int) -> torch.Generator:
        return torch.Generator().manual_seed(100 * self.seed + stream)


def cost(way: str, model: OneStepAttention, batch: marked.Places, generator: torch.Generator | None = None) -> Tensor:
    """The loss of one of WAYS; only the hard ones draw, from `generator`."""
    view = model(batch.marks, batch.letters, batch.asked)
    if way == "soft":
        return -soft_log_prob(view, model.readout, batch.answer).mean()
    if way in ("hard", "hard, baseline"):
        return hard_loss(view, model.readout, batch.answer, 1, way != "hard", generator)
    log_right = log_probs_of_each(view.values, model.readout, batch.answer)
    return -{"bound": lower_bound, "marginal": log_marginal}[way](view.weights, log_right).mean()


@torch.no_grad()
def right(model: OneStepAttention, batch: marked.Places) -> dict[str, float]:
    """The share of right answers, by how places are read; for "drawn" over all looks that may be drawn."""
    view = model(batch.marks, batch.letters, batch.asked)
    fits = (model.readout(view.values).argmax(dim=2) == batch.answer[:, None]).float()
    shares = {
        reading: (predict(view, model.readout, reading).argmax(dim=1) == batch.answer).float().mean().item()
        for reading in ("mean", "largest", "mixture")
    }
    return shares | {"drawn": (view.weights * fits).sum(dim=1).mean().item()}


@torch.no_grad()
def surprise(model: OneStepAttention, batch: marked.Places) -> dict[str, float]:
    """The mean surprise at the right answer, in nats: read softly, after one drawn look, and by the mixture."""
    view = model(batch.marks, batch.letters, batch.asked)
    log_right = log_probs_of_each(view.values, model.readout, batch.answer)
    told = {
        "mean": soft_log_prob(view, model.readout, batch.answer),
        "drawn": lower_bound(view.weights, log_right),
        "mixture": log_marginal(view.weights, log_right),
    }
    return {reading: -value.mean().item() for reading, value in told.items()}


@torch.no_grad()
def found(model: OneStepAttention, batch: marked.Places) -> list[float]:
    """The mean weight on places that bear the mark asked for, for each of the marks."""
    view = model(batch.marks, batch.letters, batch.asked)
    on = (view.weights * (batch.marks == batch.asked[:, None])).sum(dim=1)
    return [on[batch.asked == mark].mean().item() for mark in range(marked.MARKS)]


@torch.no_grad()
def differ(model: OneStepAttention, batch: marked.Places) -> float:
    """The chance that the same question, asked twice with a look drawn each time, gets two answers."""
    view = model(batch.marks, batch.letters, batch.asked)
    said = model.readout(view.values).argmax(dim=2)
    chance = view.weights.new_zeros(len(said), marked.LETTERS).scatter_add(1, said, view.weights)
    return 1 - chance.square().sum(dim=1).mean().item()
