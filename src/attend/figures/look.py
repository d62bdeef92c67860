"""What lies between soft and hard: weights of the same scores side by side, and bias against noise of estimators."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.ticker import NullLocator

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

Point = tuple[float, float]


@checked
def weights(rows: Mapping[str, Mapping[str, Sequence[float]]], names: Sequence[str]) -> None:
    """A row of panels for each of `rows`, {name: {title: weights}}; bars carry the `names` of what is weighted.

    All rows have equally many panels. Raises ValueError where they have not, and for weights that are no shares, one
    for each name.
    """
    columns = len(next(iter(rows.values()), {}))
    expect(columns > 0, "rows", rows, "one row with one panel at least")
    for row, panels in rows.items():
        expect(len(panels) == columns, f"rows[{row!r}]", len(panels), f"{columns} panels")
        for title, values in panels.items():
            fits = len(values) == len(names) and all(0 <= value <= 1 for value in values)
            expect(fits, f"rows[{row!r}][{title!r}]", values, f"{len(names)} shares from 0 to 1")
    options = {"squeeze": False, "sharey": True, "gridspec_kw": {"hspace": 0.14}}
    with canvas(len(rows), columns, height=1.12 * len(rows), **options) as (_, axes):
        for line, (row, panels) in zip(axes, rows.items(), strict=True):
            for panel, (title, values) in zip(line, panels.items(), strict=True):
                panel.bar(range(len(names)), values, width=0.72, color=PALETTE["attention"], alpha=0.8)
                panel.set_title(title, fontsize=9.5, color=PALETTE["ink"], pad=3)
                panel.set(ylim=(0, 1.02), xlim=(-0.6, len(names) - 0.4))
                panel.set_xticks(range(len(names)), names, fontsize=9)
                panel.set_yticks([])
                panel.tick_params(axis="x", length=0, pad=1)
                panel.spines["left"].set_visible(False)
            line[0].set_ylabel(row, fontsize=9.5)


@checked
def trade(
    points: Mapping[str, tuple[Point, str]],
    paths: Mapping[str, tuple[Mapping[float, Point], str]],
    *,
    x_name: str,
    y_name: str,
) -> None:
    """Draw `points`, {name: ((x, y), kind)}, and `paths`, {name: ({setting: (x, y)}, kind)}, y on a logarithmic axis.

    No x is below 0. Each name stands beside its point or at the last setting of its path, whose settings are written
    along it. Raises ValueError where there is nothing to draw, and for a y that is not above 0.
    """
    every = [point for point, _ in points.values()] + [at for path, _ in paths.values() for at in path.values()]
    expect(len(every) > 0, "points", points, "one point or path at least")
    expect(all(np.isfinite(at).all() and at[1] > 0 for at in every), "points", every, "finite, with y above 0")
    far = max(*(at[0] for at in every), 1e-9)
    with canvas(height=3.7) as (_, axes):
        axes.set_yscale("log")
        for number, (name, (path, kind)) in enumerate(paths.items()):
            x, y = zip(*path.values(), strict=True)
            axes.plot(x, y, "-o", ms=4, lw=1.4, color=PALETTE[kind])
            for setting, at in path.items():
                right = number % 2 or at == list(path.values())[-1]
                side = {"ha": "left", "xytext": (6, 2)} if right else {"ha": "right", "xytext": (-5, -10)}
                axes.annotate(f"{setting:g}", at, textcoords="offset points", color=PALETTE[kind], fontsize=8.5, **side)
            axes.annotate(
                name, (x[-1], y[-1]), xytext=(0, -13), textcoords="offset points", color=PALETTE[kind], ha="center"
            )
        for name, (at, kind) in points.items():
            axes.plot(*at, "D", ms=7, color=PALETTE[kind])
            side = {"ha": "right", "xytext": (-9, 0)} if at[0] < far / 10 else {"ha": "left", "xytext": (9, 0)}
            axes.annotate(name, at, textcoords="offset points", color=PALETTE[kind], va="center", **side)
        axes.set(xlabel=x_name, ylabel=y_name, xlim=(-0.48 * far, 1.12 * far))
        axes.set_xticks([tick for tick in axes.get_xticks() if 0 <= tick <= far])
        axes.margins(y=0.12)
        ticks = [tick for tick in (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30) if _between(tick, [at[1] for at in every])]
        axes.set_yticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.yaxis.set_minor_locator(NullLocator())


def _between(tick: float, values: Sequence[float]) -> bool:
    return min(values) / 1.5 <= tick <= max(values) * 1.5
