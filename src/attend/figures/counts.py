"""A learned counter: what it is given, what it says while it learns, what its units hold, and where it is right."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.figures.style import PALETTE, canvas, name_ends, name_line

Seeds = Sequence[Sequence[float]]
"""A row of values for each seed."""


@checked
def progress(
    lines: Mapping[str, tuple[Seeds, Sequence[float], str]],
    *,
    x_name: str,
    y_name: str,
) -> None:
    """A thin line for each seed and a thick one for their mean: `lines` holds {name: (values, places, kind)}.

    `values` has a row for each seed, as long as `places`; `kind` is a colour of the palette. Raises ValueError when
    there is no line, and for values that do not fit.
    """
    expect(len(lines) > 0, "lines", lines, "at least one line")
    ends = {}
    with canvas(height=2.8) as (_, axes):
        for name, (rows, places, kind) in lines.items():
            expect(kind in PALETTE, f"lines[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            fits = len(rows) > 0 and all(len(row) == len(places) > 0 for row in rows)
            expect(fits, f"lines[{name!r}]", [len(row) for row in rows], f"rows of {len(places)} values, one at least")
            expect(bool(np.isfinite(rows).all()), f"lines[{name!r}]", rows, "finite values")
            for row in rows:
                axes.plot(places, row, color=PALETTE[kind], lw=0.7, alpha=0.5)
            mean = np.mean(rows, axis=0)
            axes.plot(places, mean, color=PALETTE[kind], ls="--" if kind == "rival" else "-")
            ends[name] = float(places[-1]), float(mean[-1]), kind
        axes.set(xlabel=x_name, ylabel=y_name, ylim=(0, 1.02))
        name_ends(axes, ends)


@checked
def features(
    x: Float[Tensor, " T"],
    inside: Bool[Tensor, " T"],
    blocks: Mapping[str, tuple[Float[Tensor, "H _"], str]],
) -> None:
    """A series over the band [0, 1]; below it rows in blocks, {name: (values, kind)}, a unit a row and a step a column.

    Positive values are drawn in the colour `kind`, negative ones in that of errors, the fuller the farther from 0; 1
    is full. Steps inside the band are shaded through all blocks. Raises ValueError when there is no block and for a
    block of another length.
    """
    expect(len(blocks) > 0, "blocks", blocks, "at least one block of rows")
    steps, t = len(x), np.arange(1, len(x) + 1)
    heights = [14, *(max(len(values), 4) for values, _ in blocks.values())]
    with canvas(len(heights), 1, height=0.075 * sum(heights) + 0.7, height_ratios=heights, sharex=True) as (_, panels):
        above, *below = panels
        above.axhspan(0, 1, color=PALETTE["line"], alpha=0.4, lw=0)
        above.plot(t, x.detach().numpy(), color=PALETTE["input"], lw=1.4)
        above.set(ylabel="x")
        for axes, (name, (values, kind)) in zip(below, blocks.items(), strict=True):
            expect(kind in PALETTE, f"blocks[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            expect(values.shape[1] == steps, f"blocks[{name!r}]", values, f"{steps} columns")
            shades = _shades(kind)
            place = (0.5, steps + 0.5, len(values) - 0.5, -0.5)
            axes.imshow(
                values.detach().numpy(), cmap=shades, vmin=-1, vmax=1, aspect="auto", extent=place, interpolation="none"
            )
            axes.set(ylabel=name, yticks=[])
            axes.spines[:].set_visible(False)
        for axes in panels:
            for step in t[np.flatnonzero(np.diff(inside.numpy().astype(int)))]:
                axes.axvline(step + 0.5, color=PALETTE["ink"], lw=0.5, ls=":")
            axes.tick_params(axis="x", length=0 if axes is not panels[-1] else 3)
        panels[-1].set(xlabel="step t", xlim=(0.5, steps + 0.5))


def _shades(kind: str) -> LinearSegmentedColormap:
    """From the colour of errors at -1 through nothing at 0 to the colour `kind` at 1."""
    below, above = PALETTE["error"], PALETTE[kind]
    stops = [(0, to_rgba(below)), (0.5, to_rgba(below, 0)), (0.5, to_rgba(above, 0)), (1, to_rgba(above))]
    return LinearSegmentedColormap.from_list("", stops)


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


_BOLD = {"weight": "bold", "fontsize": 13, "color": PALETTE["summary"]}


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
        axes.imshow(grid, cmap=_shades("summary"), vmin=-1, vmax=1, aspect="auto", origin="lower", alpha=0.8)
        for (y, x), value in np.ndenumerate(grid):
            axes.annotate(f"{value:.2f}", (x, y), ha="center", va="center", color=PALETTE["ink"])
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.set_xticks(range(len(columns)), labels=columns)
        axes.set_yticks(range(len(shares)), labels=list(shares))
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)


@checked
def shares(rows: Mapping[str, Mapping[str, tuple[Sequence[float], str]]], *, x_name: str) -> None:
    """A line of dots for each of `rows`, {row: {name: (values, kind)}}, on one axis from 0 to 1; a dot a seed.

    Names are written once, above the first row, each beside a dot of its own. Raises ValueError when there is no row,
    and for values that are no shares.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    with canvas(height=0.36 * len(rows) + 1.0) as (_, axes):
        for place, (row, entries) in enumerate(rows.items()):
            axes.axhline(-place, color=PALETTE["line"], lw=0.8, zorder=0)
            for values, kind in entries.values():
                expect(kind in PALETTE, f"rows[{row!r}]", kind, f"a colour among {', '.join(PALETTE)}")
                fits = len(values) > 0 and all(0 <= value <= 1 for value in values)
                expect(fits, f"rows[{row!r}]", values, "shares from 0 to 1")
                axes.plot(values, [-place] * len(values), "o", **_dot(kind))
        axes.set_yticks([-place for place in range(len(rows))], labels=list(rows))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set(xlabel=x_name, xlim=(-0.02, 1.03), ylim=(0.4 - len(rows), 1.1))
        _name_dots(axes, {name: kind for name, (_, kind) in next(iter(rows.values())).items()})


def _name_dots(axes: Axes, kinds: Mapping[str, str]) -> None:
    """Names in a line above the rows, each beside a dot of its own, and none so near the next that they touch."""
    axes.figure.draw_without_rendering()  # lays the axes out, so that widths are known
    at = 0.0
    for name, kind in kinds.items():
        axes.plot(at, 0.85, "o", clip_on=False, **_dot(kind))
        name_line(axes, at + 0.012, 0.85, name, kind)
        end = axes.transData.inverted().transform(axes.texts[-1].get_window_extent())[1, 0]
        at = max(at + 0.27, float(end) + 0.05)


def _dot(kind: str) -> dict:
    """A dot of one kind: hollow for rivals."""
    return {"color": PALETTE[kind], "mfc": "none" if kind == "rival" else PALETTE[kind], "ms": 6, "alpha": 0.85}
