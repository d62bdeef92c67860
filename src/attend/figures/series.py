"""Series of numbers over a band: where they enter it, how the count grows, and what a memory must tell apart."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from attend.figures.style import PALETTE, canvas, name_line

Band = tuple[float, float]


def entered(x: Sequence[float], counts: Sequence[int], band: Band = (0.0, 1.0)) -> None:
    """One series over a band; points inside are filled, and each entrance carries its number.

    `counts` holds the number of entrances after each step. Raises ValueError unless both have the same length.
    """
    x, counts = _pair("x", x, "counts", counts)
    with canvas(height=2.5) as (_, axes):
        _band(axes, band)
        _dots(axes, np.arange(1, len(x) + 1), x, band)
        for t in np.flatnonzero(np.diff(counts, prepend=0)):
            above = {"xytext": (0, 9), "textcoords": "offset points", "ha": "center"}
            axes.annotate(f"{counts[t]:.0f}", (t + 1, x[t]), weight="bold", color=PALETTE["summary"], **above)
        axes.set(xlabel="step t", ylabel="input x", ylim=(min(x.min(), band[0]) - 0.5, max(x.max(), band[1]) + 0.7))
        axes.set_xticks(np.arange(1, len(x) + 1))


def together(
    records: Sequence[tuple[Sequence[float], Sequence[float], Sequence[int], str]], band: Band, y_name: str
) -> None:
    """Long series side by side over one band, and below each the number of entrances so far.

    A record is (time, values, counts, name of the time axis). Raises ValueError unless its parts have one length.
    """
    if not records:
        raise ValueError("records: got none, expected at least one")
    with canvas(2, len(records), height=4.2, sharex="col", sharey="row", squeeze=False) as (_, axes):
        for (above, below), (time, values, counts, time_name) in zip(axes.T, records, strict=True):
            values, counts = _pair("values", values, "counts", counts)
            time, _ = _pair("time", time, "values", values)
            _band(above, band)
            above.plot(time, values, color=PALETTE["input"], lw=0.5)
            below.plot(time, counts, color=PALETTE["summary"], drawstyle="steps-post")
            left = {"xytext": (-6, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
            below.annotate(f"{counts[-1]:.0f}", (time[-1], counts[-1]), weight="bold", color=PALETTE["summary"], **left)
            below.set(xlabel=time_name)
        axes[0, 0].set(ylabel=y_name)
        axes[1, 0].set(ylabel="entrances so far")


def collision(first: Sequence[float], second: Sequence[float], coming: float, band: Band = (0.0, 1.0)) -> None:
    """Two series side by side that go on with the same value; the entrances before and after it stand in each.

    Raises ValueError for a series without values.
    """
    with canvas(1, 2, height=2.4, sharey=True) as (_, axes):
        for side, x in zip(axes, (first, second), strict=True):
            x = np.asarray(x, dtype=float)
            if x.ndim != 1 or len(x) == 0:
                raise ValueError(f"first, second: got shape {x.shape}, expected a series of at least one value")
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


def steps(x: Sequence[float], step: Sequence[float], ramp: Sequence[float], band: Band = (0.0, 1.0)) -> None:
    """What a network with steps, and one with ramps, call "inside", from 0 to 1, for each value of x.

    Raises ValueError unless the three have the same length.
    """
    x, step = _pair("x", x, "step", step)
    x, ramp = _pair("x", x, "ramp", ramp)
    with canvas(height=2.1) as (_, axes):
        axes.axvspan(*band, color=PALETTE["line"], alpha=0.4, lw=0)
        axes.plot(x, ramp, color=PALETTE["error"])
        axes.plot(x, step, color=PALETTE["summary"], lw=1.8)
        name_line(axes, band[1], 0.85, "steps", "summary")
        name_line(axes, x[np.flatnonzero(ramp > 0.3)[-1]], 0.3, "ramps of ReLUs", "error")
        axes.set(xlabel="input x", ylabel="inside", yticks=(0, 1))


def _pair(name: str, a: Sequence[float], other: str, b: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.ndim != 1 or len(a) == 0 or a.shape != b.shape:
        raise ValueError(f"{name}, {other}: got shapes {a.shape} and {b.shape}, expected two series of one length")
    return a, b


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
