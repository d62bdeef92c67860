"""A unit drawn once for each step: what goes in below, what is asked for above."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

Row = tuple[str, Sequence[str], Sequence[str]]


@checked
def unrolled(rows: Sequence[Row]) -> None:
    """Draw each row (name, inputs, targets) as a chain of summaries; an empty text leaves an input or target out.

    Raises ValueError when there is no row, and for a row without steps or with more inputs than targets.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    for name, inputs, targets in rows:
        got, fits = f"{name}: {len(inputs)} inputs, {len(targets)} targets", len(inputs) == len(targets) > 0
        expect(fits, "rows", got, "as many of the one as of the other, and at least one")
    longest = max(len(inputs) for _, inputs, _ in rows)
    with canvas(height=1.5 * len(rows) + 0.1) as (_, axes):
        for place, row in enumerate(rows):
            _chain(axes, -3.1 * place, *row)
        axes.set(xlim=(-0.75, longest - 0.3), ylim=(-3.1 * (len(rows) - 1) - 1.25, 1.75))
        axes.axis("off")


def _chain(axes, y: float, name: str, inputs: Sequence[str], targets: Sequence[str]) -> None:
    """One row: a box for each summary, arrows through time, inputs below and targets above."""
    arrow = {"arrowstyle": "-|>", "color": PALETTE["quiet"], "lw": 1, "shrinkA": 1, "shrinkB": 1}
    axes.text(-0.7, y + 1.45, name, color=PALETTE["quiet"], va="center")
    for t, (given, asked) in enumerate(zip(inputs, targets, strict=True)):
        box = {"boxstyle": "square,pad=0.35", "fc": "none", "ec": PALETTE["summary"]}
        axes.text(t, y, "$h$", ha="center", va="center", color=PALETTE["summary"], bbox=box)
        if t:
            axes.annotate("", (t - 0.2, y), (t - 0.8, y), arrowprops=arrow)
        if given:
            axes.annotate("", (t, y - 0.38), (t, y - 0.78), arrowprops=arrow)
            axes.text(t, y - 1.0, given, ha="center", va="center", color=PALETTE["input"])
        if asked:
            axes.annotate("", (t, y + 0.78), (t, y + 0.38), arrowprops=arrow)
            axes.text(t, y + 1.0, asked, ha="center", va="center", color=PALETTE["ink"], weight="bold")
