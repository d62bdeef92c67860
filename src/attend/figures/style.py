"""One look for every picture: the palette of the book, one size of type, transparent paper."""

import math
from collections.abc import Iterator
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
def name_line(axes: Axes, x: float, y: float, text: str, kind: str, **options) -> None:
    """Write a name beside its line, in the line's colour, in place of a legend; `kind` is a name of `PALETTE`."""
    expect(kind in PALETTE, "kind", kind, f"one of {', '.join(PALETTE)}")
    expect(math.isfinite(x), "x", x, "a finite number")
    expect(math.isfinite(y), "y", y, "a finite number")
    axes.annotate(text, (x, y), xytext=(5, 0), textcoords="offset points", color=PALETTE[kind], va="center", **options)
