"""Several seeds in one picture: every seed is a mark of its own, so that a margin can be seen."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas


@checked
def dots(rows: Mapping[str, tuple[Sequence[float], str]], *, x_name: str, zero: bool = True) -> None:
    """Draw `rows`, {name: (values, kind)}, from top to bottom, with a dot for each seed; `zero` puts a line at 0.

    `kind` is a colour's name in the palette; a rival's dots are hollow. `x_name` says what the axis is, with its
    unit. Raises ValueError when there is no row or a row is empty.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    with canvas(height=0.34 * len(rows) + 0.75) as (_, axes):
        if zero:
            axes.axvline(0, color=PALETTE["line"], lw=1)
        for place, (name, (values, kind)) in enumerate(rows.items()):
            _fits(f"rows[{name!r}]", values, kind)
            fill = "none" if kind == "rival" else PALETTE[kind]
            axes.plot(values, [place] * len(values), "o", ms=6, mec=PALETTE[kind], mfc=fill, alpha=0.85)
        axes.set(xlabel=x_name, ylim=(len(rows) - 0.5, -0.5))
        axes.xaxis.get_major_locator().set_params(integer=zero, nbins=5)
        axes.set_yticks(range(len(rows)), list(rows))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        for label, (_, kind) in zip(axes.get_yticklabels(), rows.values(), strict=True):
            label.set_color(PALETTE[kind])


@checked
def traces(
    lines: Mapping[str, tuple[Sequence[Sequence[float | None]], str]],
    *,
    x_name: str,
    y_name: str,
    y_range: tuple[float, float] | None = None,
) -> None:
    """Draw `lines`, {name: (a row of values for each seed, kind)}, over places 1, 2, …; None leaves a place out.

    A rival's lines are dashed. Each name stands at the end of its lines. Raises ValueError when there is no line,
    and for rows without a value.
    """
    expect(len(lines) > 0, "lines", lines, "at least one line")
    with canvas(height=2.9) as (_, axes):
        for name, (seeds, kind) in lines.items():
            expect(len(seeds) > 0, f"lines[{name!r}]", seeds, "a row for each seed")
            style = {"ls": "--", "marker": ""} if kind == "rival" else {"ls": "-", "marker": "o"}
            ends = []
            for row in seeds:
                there = [(t, value) for t, value in enumerate(row, 1) if value is not None]
                _fits(f"lines[{name!r}]", [value for _, value in there], kind)
                axes.plot(*zip(*there, strict=True), color=PALETTE[kind], lw=1, ms=3.5, alpha=0.8, **style)
                ends.append(there[-1])
            end = (max(t for t, _ in ends), float(np.mean([value for _, value in ends])))
            axes.annotate(name, end, xytext=(7, 0), textcoords="offset points", color=PALETTE[kind], va="center")
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.xaxis.get_major_locator().set_params(integer=True)
        if y_range:
            axes.set_ylim(*y_range)


def _fits(name: str, values: Sequence[float], kind: str) -> None:
    expect(len(values) > 0 and bool(np.isfinite(values).all()), name, values, "at least one value, all finite")
    expect(kind in PALETTE, name, kind, f"a colour among {', '.join(PALETTE)}")
