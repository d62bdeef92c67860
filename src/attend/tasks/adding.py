"""Adding: among many numbers two are marked, and at the end their sum is asked for.

Source   Hochreiter & Schmidhuber 1997, Long short-term memory, experiment 4; in the form of Le, Jaitly & Hinton 2015.
Departs  series of one fixed length; one mark in each half.
Agrees   the variance of a sum of two uniform numbers, by formula and by count (tests/tasks/test_adding.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import mse_loss

from attend.core.expect import checked, expect
from attend.core.types import Seed

KNOWS_NOTHING = 1 / 6
"""The mean squared error of always answering 1: the variance of a sum of two numbers drawn evenly from 0 to 1."""

KNOWS_ONE = 1 / 12
"""The mean squared error of one who knows one of the two numbers and takes 1/2 for the other."""


@checked
def sample(
    batch: int, steps: int, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 2"], Float[Tensor, "B"]]:
    """`batch` series of (number, mark) and the sums: numbers from 0 to 1, one mark in each half of the series.

    Raises ValueError unless batch is positive and steps at least 2.
    """
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(steps > 1, "steps", steps, "a whole number, at least 2")
    numbers = torch.rand(batch, steps, generator=generator)
    first = torch.randint(steps // 2, (batch,), generator=generator)
    second = torch.randint(steps // 2, steps, (batch,), generator=generator)
    rows, marks = torch.arange(batch), torch.zeros(batch, steps)
    marks[rows, first] = marks[rows, second] = 1.0
    return torch.stack((numbers, marks), dim=2), numbers[rows, first] + numbers[rows, second]


@checked
def cost(answers: Float[Tensor, "B"], sums: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """The mean squared error of the answers."""
    return mse_loss(answers, sums)


@checked
def explained(answers: Float[Tensor, "B"], sums: Float[Tensor, "B"]) -> float:
    """R², the share of the sums' variance that the answers explain: 1 is perfect, 0 as good as always saying the mean.

    Raises ValueError for sums that are all the same.
    """
    spread = sums.double().var(correction=0)
    expect(bool(spread > 0), "sums", sums, "sums that differ")
    return 1 - ((answers.double() - sums).square().mean() / spread).item()


@checked
def example(steps: int = 8, seed: Seed = 0) -> str:
    """One series to read, the marked numbers in brackets: `0.50 [0.77] 0.09 … → 1.66`."""
    x, total = sample(1, steps, torch.Generator().manual_seed(seed))
    shown = [f"[{number:.2f}]" if mark else f"{number:.2f}" for number, mark in x[0].tolist()]
    return f"{' '.join(shown)} → {total.item():.2f}"
