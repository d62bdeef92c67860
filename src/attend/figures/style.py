"""One look for every picture: the palette of the book, one size of type, transparent paper."""

import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from attend.core.expect import checked, expect

PALETTE = {
    "input": "#c4541a",
    "summary": "#1f6fb2",
    "gate": "#0f7a5f",
    "attention": "#a8559b",
    "error": "#8a6500",
    "rival": "#707070",
    "ink": "#222222",
    "quiet": "#5f5f5f",
    "line": "#c9c9c4",
}
"""The same thing has the same colour on every page; each is at least 3:1 against the page, light and dark."""

WIDTH = 5.4
"""Inches, at 96 pixels each: 518 pixels wide on a desktop, and still readable at two thirds of that on a phone."""

LINE = 13.0
"""Points from a line of type to the next, so that names do not touch."""

_LOOK = {
    "axes.edgecolor": PALETTE["line"],
    "axes.labelcolor": PALETTE["ink"],
    "axes.prop_cycle": plt.cycler(
        color=[PALETTE[n] for n in ("summary", "input", "gate", "attention", "error", "rival")]
    ),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "figure.dpi": 144,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "mathtext.fontset": "dejavusans",
    "text.color": PALETTE["ink"],
    "xtick.color": PALETTE["quiet"],
    "ytick.color": PALETTE["quiet"],
}


@checked
def canvas(
    rows: int = 1, columns: int = 1, height: float = 2.6, **options
) -> AbstractContextManager[tuple[Figure, Any]]:
    """A figure in the book's look, shown when the block ends: `with canvas(height=3) as (figure, axes): …`.

    `height` is in inches; the width is the text column. `options` go to `plt.subplots` (sharex, width_ratios, …). The
    figure is shown and closed at the end, so that a page cell that draws needs no further line.
    """
    expect(rows > 0, "rows", rows, "a positive whole number")
    expect(columns > 0, "columns", columns, "a positive whole number")
    expect(0.5 <= height <= 12, "height", height, "inches between 0.5 and 12")
    return _canvas(rows, columns, height, options)


@contextmanager
def _canvas(rows: int, columns: int, height: float, options: dict[str, Any]) -> Iterator[tuple[Figure, Any]]:
    with plt.rc_context(_LOOK):
        figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height), **options)
        try:
            yield figure, axes
            plt.show()
        finally:
            plt.close(figure)


@checked
def name_line(axes: Axes, x: float, y: float, text: str, kind: str, up: float = 0.0) -> None:
    """Write a name beside its line, in the line's colour, in place of a legend; `kind` is a name of `PALETTE`.

    The name stands right of (x, y) and `up` points above it, outside of the axes too.
    """
    expect(kind in PALETTE, "kind", kind, f"one of {', '.join(PALETTE)}")
    for name, value in (("x", x), ("y", y), ("up", up)):
        expect(math.isfinite(value), name, value, "a finite number")
    place = {"xytext": (5, up), "textcoords": "offset points", "va": "center", "annotation_clip": False}
    axes.annotate(text, (x, y), color=PALETTE[kind], **place)


@checked
def name_ends(axes: Axes, ends: Mapping[str, tuple[float, float, str]]) -> None:
    """Name lines at their ends, {name: (x, y, kind)}, and move names apart that would touch; "" is no name.

    The axes must have their scales and limits before. Raises ValueError for what is not finite, and for colours that
    the palette does not have.
    """
    for name, (x, y, kind) in ends.items():
        expect(math.isfinite(x) and math.isfinite(y), f"ends[{name!r}]", (x, y), "a place of two finite numbers")
        expect(kind in PALETTE, f"ends[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
    axes.figure.draw_without_rendering()  # lays the axes out, so that heights are known
    dots = {name: axes.transData.transform(end[:2])[1] for name, end in ends.items() if name}
    heights = {name: float(height) * 72 / axes.figure.dpi for name, height in dots.items()}
    for name, height in apart(heights).items():
        x, y, kind = ends[name]
        name_line(axes, x, y, name, kind, up=height - heights[name])


@checked
def apart(ends: Mapping[str, float], gap: float = LINE) -> dict[str, float]:
    """Where the names of lines go that end at `ends`: at least `gap` from each other, in order, and near their ends.

    Names that would touch stand as a group around the middle of their ends. Raises ValueError for a `gap` that is
    not above 0 or has no end.
    """
    expect(0 < gap < math.inf, "gap", gap, "a finite number above 0")
    groups: list[list[tuple[str, float]]] = []
    for end in sorted(ends.items(), key=lambda item: item[1]):
        groups.append([end])
        while len(groups) > 1 and _lowest(groups[-1], gap) - _highest(groups[-2], gap) < gap:
            groups[-2:] = [groups[-2] + groups[-1]]
    return {name: _lowest(group, gap) + i * gap for group in groups for i, (name, _) in enumerate(group)}


def _lowest(group: list[tuple[str, float]], gap: float) -> float:
    return sum(end for _, end in group) / len(group) - gap * (len(group) - 1) / 2


def _highest(group: list[tuple[str, float]], gap: float) -> float:
    return _lowest(group, gap) + gap * (len(group) - 1)
