"""Recall: one number comes first, then nothing for a while, and at the end the number is asked for."""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import mse_loss

from attend.core.expect import checked, expect
from attend.core.types import Seed

KNOWS_NOTHING = 1 / 3
"""The mean squared error of always answering 0: the variance of a number drawn evenly from -1 to 1."""

KNOWS_THE_SIGN = 1 / 12
"""The least mean squared error of an answer that is made from the number's sign alone (1/2 or -1/2)."""


@checked
def sample(
    batch: int, lag: int, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 1"], Float[Tensor, "B"]]:
    """`batch` series of lag + 1 steps and the answers: a number from -1 to 1 at the first step, zero at all others."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(lag > 0, "lag", lag, "a positive whole number")
    number = torch.rand(batch, generator=generator) * 2 - 1
    x = torch.zeros(batch, lag + 1, 1)
    x[:, 0, 0] = number
    return x, number


@checked
def cost(answers: Float[Tensor, "B"], numbers: Float[Tensor, "B"]) -> Float[Tensor, ""]:
    """The mean squared error of the answers."""
    return mse_loss(answers, numbers)


@checked
def example(lag: int = 5, seed: Seed = 0) -> str:
    """One series to read, with its answer: `-0.01 0 0 0 0 0 → -0.01`."""
    x, number = sample(1, lag, torch.Generator().manual_seed(seed))
    return " ".join(f"{value:.2f}" if value else "0" for value in x.flatten().tolist()) + f" → {number.item():.2f}"
