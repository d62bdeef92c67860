"""Counting on real days: windows of Seattle's temperatures, and how often they entered a band of 5 °C.

Source   NOAA's daily records for Seattle, 2012 to 2015, by way of attend.tasks.temperature.
Departs  for learning, the band is moved about, so that three years give more than one answer for each window.
Agrees   attend.tasks.crossings on the same temperatures and the same band (tests/tasks/test_days.py).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks import temperature
from attend.tasks.crossings import cost, entrances, exact

__all__ = ["cost", "exact", "example", "held_out", "sample"]

LEARNED = 366 + 365 + 365
"""The days of 2012, 2013 and 2014; those of 2015 are held out."""

WIDTH = 5.0
"""The width of every band in °C; it becomes the unit of the scale, on which the band is [0, 1]."""

LOWEST = (0.0, 20.0)
"""The lower end of a band lies between these, in °C."""


@checked
def sample(
    batch: int, steps: int = 60, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 1"], Int[Tensor, "B T"]]:
    """Windows of daily highs or lows from 2012 to 2014 (B, T, 1), and the entrances after each day (B, T).

    Kind, first day and band are drawn anew for each window; the band is [0, 1] on its scale. Raises ValueError for a
    batch that is not positive and for more steps than there are days.
    """
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(0 < steps <= LEARNED, "steps", steps, f"a whole number of days, from 1 to {LEARNED}")
    kind = torch.randint(2, (batch, 1), generator=generator)
    first = torch.randint(LEARNED - steps + 1, (batch, 1), generator=generator)
    low = LOWEST[0] + (LOWEST[1] - LOWEST[0]) * torch.rand(batch, 1, generator=generator)
    x = (_celsius()[kind, first + torch.arange(steps)] - low) / WIDTH
    return x[:, :, None], entrances(x)


@checked
def held_out(steps: int = 60, low: float = 10.0) -> tuple[Float[Tensor, "B T 1"], Int[Tensor, "B T"]]:
    """Every window of highs and of lows within 2015, for the one band from `low` to `low` + 5 °C."""
    expect(0 < steps <= 365, "steps", steps, "a whole number of days, from 1 to 365")
    expect(abs(low) <= 100, "low", low, "a temperature in °C")
    x = (_celsius()[:, LEARNED:].unfold(1, steps, 1).flatten(0, 1) - low) / WIDTH
    return x[:, :, None], entrances(x)


def _celsius() -> Tensor:
    """The highs and the lows of all days, (2, 1461), in float32."""
    return torch.stack([temperature.daily(which).celsius.float() for which in ("high", "low")])


def example() -> str:
    """The first days of one held-out window, its place in or out of the band from 10 to 15 °C, and the count."""
    x, counts = held_out(steps=10)
    shown = x[100, :, 0] * WIDTH + 10
    celsius = " ".join(f"{c:5.1f}" for c in shown)
    return f"°C     {celsius}\ncount  " + " ".join(f"{n:5d}" for n in counts[100])
