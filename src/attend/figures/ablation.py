"""Many changes to one model in one picture: a dot for each seed, beside what counts as the unchanged model."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.core.types import PositiveFloat
from attend.figures.style import PALETTE, canvas

KINDS = {"worse": "error", "better": "summary", "cannot tell": "quiet"}
"""The colour of a verdict; where nothing can be told, dots are hollow."""


@checked
def changes(
    rows: Mapping[str, tuple[Sequence[float], str]],
    *,
    base: Sequence[float],
    within: PositiveFloat,
    x_name: str,
    ticks: Sequence[float],
) -> None:
    """Draw `rows`, {name: (a value above 0 for each seed, verdict)}, from top to bottom, on an axis of equal factors.

    `base` are the values of the unchanged model, drawn on top; a band reaches `within` to both sides of their mean. A
    verdict is one of KINDS; a small line marks each mean. Raises ValueError when there is no row, for a row or base
    without values, and for values not above 0.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    expect(len(ticks) > 0 and min(ticks) > 0, "ticks", ticks, "numbers above 0")
    _fits("base", base)
    with canvas(height=0.235 * (len(rows) + 1) + 0.75) as (_, axes):
        mean = float(np.mean(base))
        axes.axvspan(max(mean - within, min(ticks) / 10), mean + within, color=PALETTE["line"], alpha=0.45, lw=0)
        axes.plot(base, [0] * len(base), "o", ms=5, color=PALETTE["rival"], alpha=0.85)
        for place, (name, (values, verdict)) in enumerate(rows.items(), 1):
            _fits(f"rows[{name!r}]", values)
            expect(verdict in KINDS, f"rows[{name!r}]", verdict, f"a verdict among {', '.join(KINDS)}")
            color = PALETTE[KINDS[verdict]]
            fill = "none" if verdict == "cannot tell" else color
            axes.plot(values, [place] * len(values), "o", ms=5, mec=color, mfc=fill, alpha=0.85)
            axes.vlines(float(np.mean(values)), place - 0.42, place + 0.42, color=PALETTE["quiet"], lw=1.5)
        axes.set(xlabel=x_name, xscale="log", ylim=(len(rows) + 0.6, -0.6))
        axes.set_xlim(min(ticks), max(axes.get_xlim()[1], max(ticks)))
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xticks([], minor=True)
        axes.set_yticks(range(len(rows) + 1), ["base", *rows])
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.get_yticklabels()[0].set_color(PALETTE["rival"])


def _fits(name: str, values: Sequence[float]) -> None:
    fits = len(values) > 0 and bool(np.isfinite(values).all()) and min(values) > 0
    expect(fits, name, values, "at least one value, all finite and above 0")
