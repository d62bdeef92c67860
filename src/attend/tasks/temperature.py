"""Temperatures in Seattle: an average year by the hour, four measured years by the day, and windows of some days.

Source   NOAA's hourly climate normals and daily records, from the package vega_datasets (data/DATA.md).
Departs  the hourly file is labelled 2010, but it is an average over 1981-2010; it is called an average year here.
Agrees   the originals' sizes, ranges and first values (tests/tasks/test_temperature.py).
"""

from functools import cache
from math import isfinite
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.tasks import crossings, data

DATA = ("tasks/data/seattle.npz",)
__all__ = ["Record", "average_year", "daily", "example", "to_unit", "windows"]

YEARS = {"train": slice(0, 1096), "test": slice(1096, 1461)}
"""The days of 2012 to 2014, and those of 2015."""
BAND = 50
"""Tenths of a degree from one end of a band to the other."""


class Record(NamedTuple):
    """A temperature series: `day` (T), in days since its first midnight, and `celsius` (T), in °C."""

    day: Float[Tensor, " T"]
    celsius: Float[Tensor, " T"]


def average_year() -> Record:
    """An average year, hour by hour: 8,759 values, each the mean over 1981-2010 for that hour of the calendar.

    Values are float64 and were recorded in tenths of °F, so 50 °F is exactly 10 °C and 59 °F exactly 15 °C.
    Raises attend.tasks.data.DamagedData when the file was changed.
    """
    arrays = np.load(data.path("seattle.npz"))
    fahrenheit_tenths = torch.from_numpy(arrays["normal_tenths_f"].astype(np.float64))
    day = torch.from_numpy(arrays["normal_hour"].astype(np.float64)) / 24
    return Record(day, (fahrenheit_tenths - 320) / 18)


@checked
def daily(which: str = "high") -> Record:
    """The measured "high" or "low" of each day from 1 January 2012 to 31 December 2015: 1,461 values, float64.

    Raises ValueError for another word, attend.tasks.data.DamagedData when the file was changed.
    """
    expect(which in ("high", "low"), "which", which, "'high' or 'low'")
    tenths = np.load(data.path("seattle.npz"))[f"day_{which}_tenths_c"]
    celsius = torch.from_numpy(tenths.astype(np.float64)) / 10
    return Record(torch.arange(len(celsius), dtype=torch.float64), celsius)


@checked
def to_unit(celsius: Float[Tensor, " T"], low: float = 10.0, high: float = 15.0) -> Float[Tensor, " T"]:
    """Temperatures on the scale on which the band from `low` to `high` °C is [0, 1]; its ends land on 0 and 1."""
    expect(isfinite(low), "low", low, "a finite number")
    expect(isfinite(high) and low < high, "high", high, f"a finite number above low = {low}")
    return (celsius - low) / (high - low)


@checked
def windows(
    batch: Positive, steps: Positive = 14, years: str = "train", generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 1"], Int[Tensor, "B T"]]:
    """Some days in a row, and how often their highs have come into a band of 5 °C so far, for each day.

    Windows of `steps` days start anywhere in 2012 to 2014 ("train") or in 2015 ("test"). Each has a band of its own,
    anywhere such that one of its days, drawn at random, lies in it; the values are scaled so that this band is [0, 1].
    Raises ValueError for other years, and for windows longer than the years are.
    """
    expect(years in YEARS, "years", years, "'train' or 'test'")
    tenths = _tenths()[YEARS[years]]
    expect(steps <= len(tenths), "steps", steps, f"at most {len(tenths)}")
    first = torch.randint(len(tenths) - steps + 1, (batch, 1), generator=generator)
    x = tenths[first + torch.arange(steps)]
    within = x.gather(1, torch.randint(steps, (batch, 1), generator=generator))
    x = (x - within + torch.randint(BAND + 1, (batch, 1), generator=generator)) / BAND
    return x[:, :, None], crossings.entrances(x)


@cache
def _tenths() -> Int[Tensor, " T"]:
    """The high of each day in tenths of °C, as they were recorded."""
    return torch.from_numpy(np.load(data.path("seattle.npz"))["day_high_tenths_c"].astype(np.int64))


def example() -> str:
    """The first hours of the average year and the first days of the measured ones, as text."""
    hours, days = average_year().celsius[:6], daily().celsius[:6]
    return (
        "1 January, hour by hour, an average year: " + " ".join(f"{c:.1f}" for c in hours) + " °C\n"
        "January 2012, the high of each day:       " + " ".join(f"{c:.1f}" for c in days) + " °C"
    )
