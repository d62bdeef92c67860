"""How the influence of a step dies with the lag, and what clipping does to training."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_ends

KINDS = ("summary", "gate", "input")


@checked
def by_lag(radii: Sequence[float], linear: np.ndarray, squashed: np.ndarray) -> None:
    """The length of what is left of a nudge, by lag from 0, on a logarithmic scale.

    `linear` and `squashed` hold one row of L values above zero for each of up to three radii: without a squash (dashed)
    and with tanh and inputs (solid).
    """
    expect(0 < len(radii) <= len(KINDS), "radii", radii, f"1 to {len(KINDS)} numbers")
    for name, rows in (("linear", linear), ("squashed", squashed)):
        fits = rows.ndim == 2 and len(rows) == len(radii) and rows.shape == linear.shape and rows.size > 0
        good = fits and bool((np.isfinite(rows) & (rows > 0)).all())
        expect(good, name, rows, f"{len(radii)} rows of equally many numbers above 0")
    lag = np.arange(linear.shape[1])
    with canvas(height=3.1) as (_, axes):
        for dashed, solid, kind in zip(linear, squashed, KINDS, strict=False):
            axes.plot(lag, dashed, color=PALETTE[kind], ls="--", lw=1.2)
            axes.plot(lag, solid, color=PALETTE[kind])
        axes.set(xlabel="lag, in steps", ylabel="left of a nudge of length 1", yscale="log", xlim=(0, None))
        ends = {
            f"{r:g}, {word}": (float(lag[-1]), float(row[-1]), kind)
            for rows, word in ((linear, "linear"), (squashed, "tanh"))
            for row, r, kind in zip(rows, radii, KINDS, strict=False)
        }
        name_ends(axes, ends)


@checked
def training(free: Sequence[Sequence[float]], clipped: Sequence[Sequence[float]], norms: Sequence[float]) -> None:
    """Left, the losses of runs without clipping (grey) and with it (blue); right, the gradient's length in one run.

    `free` and `clipped` hold one series of numbers above zero for each run; losses are shown as means of 10 steps.
    """
    for name, runs in (("free", free), ("clipped", clipped), ("norms", [norms])):
        lengths = {len(run) if isinstance(run, Sequence | np.ndarray) else 0 for run in runs}
        expect(len(lengths) == 1 and min(lengths) >= 10, name, runs, "runs of equal length, of 10 steps or more")
        expect(bool((np.asarray(runs) > 0).all() and np.isfinite(runs).all()), name, runs, "finite numbers above 0")
    with canvas(1, 2, height=2.7) as (_, (left, right)):
        _runs(left, [_smooth(run) for run in free], "rival")
        _runs(left, [_smooth(run) for run in clipped], "summary")
        _runs(right, [norms], "rival")
        left.annotate("no clipping", (0.98, 0.98), xycoords="axes fraction", ha="right", color=PALETTE["rival"])
        left.set(xlabel="step of training", ylabel="mean squared error", yscale="log")
        left.set_ylim(bottom=left.get_ylim()[0] / 1.8)  # room for a name below the lowest line
        left.annotate("clipped", (0.05, 0.03), xycoords="axes fraction", color=PALETTE["summary"])
        right.set(xlabel="step of training", ylabel="length of the gradient", yscale="log")


def _runs(axes: Axes, runs: Sequence[Sequence[float]], kind: str) -> None:
    for run in runs:
        axes.plot(np.arange(1, len(run) + 1), run, color=PALETTE[kind], lw=1, alpha=0.85)


def _smooth(run: Sequence[float]) -> np.ndarray:
    return np.convolve(run, np.full(10, 0.1), mode="valid")
