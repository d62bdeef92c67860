"""Half a day ahead: what will the temperature be in twelve hours, from the temperatures so far?

Source   The average year in Seattle of attend.tasks.temperature (NOAA's hourly normals).
Departs  nothing but temperatures is given: no hour of the day, no date.
Agrees   targets lie twelve hours after their inputs, and no window of the test reaches into the months of training
         (tests/tasks/test_forecast.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks import temperature

__all__ = ["AHEAD", "DEGREES", "STEPS", "WARM", "autumn", "cost", "example", "sample", "yesterday"]

AHEAD = 12
"""Hours from the last temperature heard to the one asked for."""
WARM = 24
"""Hours at the start of a window that cost nothing: the network listens."""
STEPS = 72
"""Hours in a window."""
_OCTOBER = 273 * 24
"""Training uses the hours before 1 October, the test those after it."""

_celsius = temperature.average_year().celsius.float()
_MEAN, DEGREES = float(_celsius[:_OCTOBER].mean()), float(_celsius[:_OCTOBER].std())
"""DEGREES is the °C in one unit of x: the spread of January to September."""


@checked
def sample(batch: int, generator: torch.Generator) -> tuple[Float[Tensor, "B T 1"], Float[Tensor, "B T"]]:
    """`batch` windows from January to September: temperatures x (B, T, 1) and those twelve hours later (B, T).

    Both in units of DEGREES around the mean of these months. Raises ValueError unless batch is positive.
    """
    expect(batch > 0, "batch", batch, "a positive whole number")
    return _windows(torch.randint(_OCTOBER - STEPS - AHEAD, (batch,), generator=generator))


def autumn() -> tuple[Float[Tensor, "B T 1"], Float[Tensor, "B T"]]:
    """The test: a window every third day from October to December, in the same form and units."""
    return _windows(torch.arange(_OCTOBER, len(_celsius) - STEPS - AHEAD, 72))


def _windows(starts: Tensor) -> tuple[Tensor, Tensor]:
    rows = starts[:, None] + torch.arange(STEPS + AHEAD)
    values = (_celsius[rows] - _MEAN) / DEGREES
    return values[:, :STEPS, None], values[:, AHEAD:]


@checked(may_be_nonfinite=("said",))
def cost(said: Float[Tensor, "B T"], wanted: Float[Tensor, "B T"]) -> Float[Tensor, ""]:
    """The mean squared error after the warm-up, over the variance of what was wanted: 1 is always saying its mean.

    Raises ValueError for windows no longer than the warm-up, and for wanted values that never move or are not finite.
    """
    expect(wanted.shape[1] > WARM, "wanted", wanted, f"more than the {WARM} hours of the warm-up")
    said, wanted = said[:, WARM:], wanted[:, WARM:]
    spread = wanted.var(correction=0)
    expect(bool(spread > 0), "wanted", wanted, "temperatures that move")
    return (said - wanted).square().mean() / spread


@checked
def yesterday(x: Float[Tensor, "B T 1"]) -> Float[Tensor, "B T"]:
    """A rule with nothing to learn: it will be as it was a day before the hour asked for, twelve hours ago.

    Before that hour was heard, the rule repeats the first one.
    """
    back = 24 - AHEAD
    return torch.cat([x[:, :1, 0].expand(-1, min(back, x.shape[1])), x[:, : max(x.shape[1] - back, 0), 0]], dim=1)


def example() -> str:
    """The first hours of the first test window and what is asked for, in °C."""
    x, wanted = autumn()
    heard, asked = (values[0, :6].flatten() * DEGREES + _MEAN for values in (x, wanted))
    rows = (("heard", heard), ("asked", asked))
    return "\n".join(f"{name}: " + " ".join(f"{c:.1f}" for c in values) + " °C" for name, values in rows)
