"""What a learned counter is given, what it says while it learns, and how large it has to be."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Float
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.figures.style import PALETTE, canvas

FAINT_TO_FULL = LinearSegmentedColormap.from_list("", [to_rgba(PALETTE["summary"], 0.05), to_rgba(PALETTE["summary"])])
_BOLD = {"weight": "bold", "fontsize": 13, "color": PALETTE["summary"]}


@checked
def puzzle(series: Float[Tensor, "N T"], numbers: Sequence[int]) -> None:
    """Small series side by side, three in a row, each with the number that belongs to it: what is being counted?

    Raises ValueError unless there is a number for each series.
    """
    N, T = series.shape
    expect(len(numbers) == N, "numbers", numbers, f"a number for each of the {N} series")
    rows, t = -(-N // 3), np.arange(1, T + 1)
    with canvas(rows, 3, height=1.3 * rows + 0.3, sharex=True, sharey=True, squeeze=False) as (_, panels):
        for axes, values, number in zip(panels.flat, series.detach().numpy(), numbers, strict=False):
            for level in (-2, -1, 0, 1, 2):
                axes.axhline(level, color=PALETTE["line"], lw=0.5, zorder=0)
            axes.plot(t, values, color=PALETTE["input"], lw=1.2, marker="o", ms=2)
            axes.annotate(str(number), (0.97, 1.0), xycoords="axes fraction", ha="right", va="bottom", **_BOLD)
            axes.set(yticks=(-2, 0, 2), ylim=(-2.9, 2.9))
        for axes in panels.flat[N:]:
            axes.set_axis_off()


@checked
def predicted(panels: Mapping[str, tuple[Sequence[int], Sequence[float]]]) -> None:
    """A panel for each moment, {name: (true counts, what was said)}, a dot for each series; right is on the diagonal.

    Raises ValueError when there is no panel, and for a panel without series or with unequal lists.
    """
    expect(len(panels) > 0, "panels", panels, "at least one panel")
    for name, (true, said) in panels.items():
        expect(len(true) == len(said) > 0, f"panels[{name!r}]", (len(true), len(said)), "two lists of one length")
        finite(f"panels[{name!r}]", torch.tensor([*map(float, true), *said]))
    most = max(max(true) for true, _ in panels.values())
    spread = np.random.default_rng(0)
    with canvas(1, len(panels), height=2.1, sharex=True, sharey=True, squeeze=False) as (figure, axes):
        for panel, (name, (true, said)) in zip(axes[0], panels.items(), strict=True):
            panel.plot([-0.4, most + 0.4], [-0.4, most + 0.4], color=PALETTE["line"], lw=1)
            places = np.asarray(true) + spread.uniform(-0.22, 0.22, len(true))
            panel.plot(places, said, "o", color=PALETTE["summary"], ms=2.2, alpha=0.45, mew=0)
            panel.annotate(name, (0.02, 1.02), xycoords="axes fraction", va="bottom", color=PALETTE["ink"], fontsize=9)
            panel.set(xticks=range(0, most + 1, 1 + most // 6))
        axes[0, 0].set(ylabel="said")
        figure.supxlabel("true count", fontsize="medium")


@checked
def heat(shares: Mapping[str, Mapping[str, float]], *, x_name: str, y_name: str) -> None:
    """A grid of shares from 0 to 1, {row: {column: share}}: the fuller the colour, the larger; each has its number.

    Rows are drawn from below. Raises ValueError for a grid without rows or columns, for rows with other columns, and
    for values that are no shares.
    """
    expect(len(shares) > 0, "shares", shares, "at least one row")
    columns = list(next(iter(shares.values())))
    expect(len(columns) > 0, "shares", shares, "at least one column")
    for row, values in shares.items():
        fits = list(values) == columns and all(0 <= value <= 1 for value in values.values())
        expect(fits, f"shares[{row!r}]", values, f"shares from 0 to 1 for {', '.join(columns)}")
    grid = np.array([list(values.values()) for values in shares.values()])
    with canvas(height=0.5 * len(shares) + 0.8) as (_, axes):
        axes.imshow(grid, cmap=FAINT_TO_FULL, vmin=0, vmax=1, aspect="auto", origin="lower", alpha=0.8)
        for (y, x), value in np.ndenumerate(grid):
            axes.annotate(f"{value:.2f}", (x, y), ha="center", va="center", color=PALETTE["ink"])
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.set_xticks(range(len(columns)), labels=columns)
        axes.set_yticks(range(len(shares)), labels=list(shares))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
