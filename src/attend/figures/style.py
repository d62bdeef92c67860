"""One look for every picture: the palette of the book, one size of type, transparent paper."""

from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PALETTE = {
    "input": "#c4541a",
    "summary": "#1f6fb2",
    "gate": "#13896b",
    "attention": "#a8559b",
    "error": "#8a6500",
    "rival": "#707070",
    "ink": "#222222",
    "quiet": "#5f5f5f",
    "line": "#c9c9c4",
}
"""The same thing has the same colour on every page; each is at least 3:1 against the page, light and dark."""

WIDTH = 6.6
"""Inches: the width of the text column."""

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


@contextmanager
def canvas(rows: int = 1, columns: int = 1, height: float = 2.6, **options) -> Iterator[tuple[Figure, Axes]]:
    """A figure in the book's look, shown when the block ends: `with canvas(height=3) as (figure, axes): …`.

    `height` is in inches; the width is the text column. `options` go to `plt.subplots` (sharex, width_ratios, …). The
    figure is shown and closed at the end, so that a page cell that draws needs no further line.
    """
    if rows < 1 or columns < 1:
        raise ValueError(f"rows, columns: got {rows}, {columns}, expected positive whole numbers")
    if not 0.5 <= height <= 12:
        raise ValueError(f"height: got {height}, expected inches between 0.5 and 12")
    with plt.rc_context(_LOOK):
        figure, axes = plt.subplots(rows, columns, figsize=(WIDTH, height), **options)
        yield figure, axes
        plt.show()
        plt.close(figure)


def name_line(axes: Axes, x: float, y: float, text: str, kind: str, **options) -> None:
    """Write a name beside its line, in the line's colour, in place of a legend; `kind` is a name of `PALETTE`."""
    if kind not in PALETTE:
        raise ValueError(f"kind: got {kind!r}, expected one of {', '.join(PALETTE)}")
    axes.annotate(text, (x, y), xytext=(5, 0), textcoords="offset points", color=PALETTE[kind], va="center", **options)
