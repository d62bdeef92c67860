"""Series of numbers over a band: where they enter it, how the count grows, and what a memory must tell apart."""

import math
from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float, Int
from matplotlib.axes import Axes
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.figures.style import PALETTE, canvas

Band = tuple[float, float]


@checked
def entered(x: Float[Tensor, " T"], counts: Int[Tensor, " T"], band: Band = (0.0, 1.0)) -> None:
    """One series over a band; points inside are filled, and each entrance carries its number.

    `counts` holds the number of entrances after each step. Raises ValueError for an empty series.
    """
    x, counts = _array(x), _array(counts)
    with canvas(height=2.5) as (_, axes):
        _band(axes, band)
        _dots(axes, np.arange(1, len(x) + 1), x, band)
        for t in np.flatnonzero(np.diff(counts, prepend=0)):
            above = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center"}
            axes.annotate(f"{counts[t]:.0f}", (t + 1, x[t]), weight="bold", color=PALETTE["summary"], **above)
        axes.set(xlabel="step t", ylabel="input x", ylim=(min(x.min(), band[0]) - 0.5, max(x.max(), band[1]) + 0.7))
        axes.set_xticks(np.arange(1, len(x) + 1))


@checked
def long(time: Float[Tensor, " T"], x: Float[Tensor, " T"], band: Band, x_name: str, y_name: str) -> None:
    """One long series over a band. Raises ValueError for an empty series."""
    with canvas(height=2.2) as (_, axes):
        _band(axes, band)
        axes.plot(_array(time), _array(x), color=PALETTE["input"], lw=0.5)
        axes.set(xlabel=x_name, ylabel=y_name)


@checked
def together(records: Sequence[tuple[Tensor, Tensor, Tensor, str]], band: Band, y_name: str) -> None:
    """Long series side by side over one band, and below each the number of entrances so far.

    A record is (time, values, counts, name of the time axis), three tensors (T) and a text. Raises ValueError when
    there is none, and unless its tensors are of one length.
    """
    expect(len(records) > 0, "records", records, "at least one record")
    with canvas(2, len(records), height=4.2, sharex="col", sharey="row", squeeze=False) as (_, axes):
        for (above, below), (time, values, counts, time_name) in zip(axes.T, records, strict=True):
            time, values, counts = (_array(part) for part in (time, values, counts))
            sizes = {time.shape, values.shape, counts.shape}
            expect(len(sizes) == 1 and values.ndim == 1, "records", sizes, "three series of one length")
            finite("records", torch.from_numpy(np.concatenate([time, values, counts])))
            _band(above, band)
            above.plot(time, values, color=PALETTE["input"], lw=0.5)
            below.plot(time, counts, color=PALETTE["summary"], drawstyle="steps-post")
            above_end = {"xytext": (0, 5), "textcoords": "offset points", "ha": "right", "va": "bottom"}
            below.annotate(
                f"{counts[-1]:.0f}", (time[-1], counts[-1]), weight="bold", color=PALETTE["summary"], **above_end
            )
            below.set(xlabel=time_name)
            below.margins(y=0.14)
        axes[0, 0].set(ylabel=y_name)
        axes[1, 0].set(ylabel="entrances so far")


@checked
def collision(first: Float[Tensor, " T"], second: Float[Tensor, " S"], coming: float, band: Band = (0.0, 1.0)) -> None:
    """Two series side by side that go on with the same value; the entrances before and after it stand in each.

    Raises ValueError for a series without values.
    """
    expect(math.isfinite(coming), "coming", coming, "a finite number")
    pair = _array(first), _array(second)
    with canvas(1, 2, height=2.4, sharey=True) as (_, axes):
        for side, x in zip(axes, pair, strict=True):
            t = np.arange(1, len(x) + 2)
            _band(side, band)
            side.plot(t[-2:], [x[-1], coming], color=PALETTE["error"], ls=":", lw=1.5)
            _dots(side, t[:-1], x, band)
            side.plot(t[-1], coming, "o", color=PALETTE["error"], ms=7)
            before, after = _entrances(x, band), _entrances(np.append(x, coming), band)
            side.annotate(f"count {before}", (t[-2] - 0.6, band[1] + 1.15), color=PALETTE["summary"], ha="right")
            side.annotate(f"then {after}", (t[-1], band[1] + 1.15), color=PALETTE["error"], ha="right", weight="bold")
            side.set(xlabel="step t", xlim=(0.5, t[-1] + 0.5), ylim=(band[0] - 1.4, band[1] + 1.7))
            side.set_xticks(t)
        axes[0].set(ylabel="input x")


def _array(values: Tensor) -> np.ndarray:
    return values.detach().double().numpy()


def _band(axes: Axes, band: Band) -> None:
    axes.axhspan(*band, color=PALETTE["line"], alpha=0.4, lw=0)


def _dots(axes: Axes, t: np.ndarray, x: np.ndarray, band: Band) -> None:
    """The series as a line, its points full inside the band and hollow outside."""
    inside = (band[0] <= x) & (x <= band[1])
    axes.plot(t, x, color=PALETTE["input"], lw=1.2)
    axes.plot(t[inside], x[inside], "o", color=PALETTE["input"], ms=6)
    axes.plot(t[~inside], x[~inside], "o", color=PALETTE["input"], mfc="white", ms=6)


def _entrances(x: np.ndarray, band: Band) -> int:
    inside = (band[0] <= x) & (x <= band[1])
    return int((inside & ~np.append(False, inside[:-1])).sum())
