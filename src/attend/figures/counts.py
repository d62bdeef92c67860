"""What a taught counter does: how it learned over seeds, what its units hold along a series and at which
entrance they turn, and where it is right."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgba
from torch import Tensor

from attend.core.expect import checked, expect
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
def turns(means: Float[Tensor, "K C"]) -> None:
    """A panel for each k = 1 … K: the mean value of one unit after 0 … C-1 entrances, its change at the k-th in full.

    Raises ValueError for K below 1 and for C not above K.
    """
    K, C = means.shape
    expect(C > K > 0, "means", means, "a row for each k from 1 to K, and more than K columns")
    columns = min(K, 3)
    rows = -(-K // columns)
    with canvas(rows, columns, height=1.15 * rows + 0.6, sharex=True, sharey=True, squeeze=False) as (figure, panels):
        for k, (axes, row) in enumerate(zip(panels.flat, means.detach().numpy(), strict=False), start=1):
            axes.axhline(0, color=PALETTE["line"], lw=0.8, zorder=0)
            axes.plot(row, color=PALETTE["quiet"], lw=1, marker="o", ms=3)
            axes.plot([k - 1, k], row[k - 1 : k + 1], color=PALETTE["summary"], lw=3)
            axes.annotate(
                f"{k - 1} to {k}", (0.5, 1.03), xycoords="axes fraction", ha="center", color=PALETTE["summary"]
            )
            axes.set(xticks=range(C), yticks=(-1, 0, 1), ylim=(-1.15, 1.15))
        for axes in panels.flat[K:]:
            axes.set_axis_off()
        figure.supxlabel("entrances so far", fontsize="medium")
        figure.supylabel("mean of the unit", fontsize="medium")


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
