"""Many changes to one model in one picture: a dot for each seed, beside what counts as the unchanged model."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

KINDS = {"worse": "error", "better": "summary", "as the base": "quiet"}
"""The colour of a verdict; dots that count as the base are hollow."""


@checked
def changes(
    rows: Mapping[str, tuple[Sequence[float], str]],
    *,
    base: Sequence[float],
    x_name: str,
    ticks: Sequence[float],
) -> None:
    """Draw `rows`, {name: (a value above 0 for each seed, verdict)}, from top to bottom, on an axis of equal factors.

    `base` are the values of the unchanged model, drawn on top; a band reaches as far to both sides of their mean as
    they lie apart. A verdict is one of KINDS. Raises ValueError when there is no row, for a row or base without values,
    and for values not above 0.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    expect(len(ticks) > 0 and min(ticks) > 0, "ticks", ticks, "numbers above 0")
    _fits("base", base)
    with canvas(height=0.235 * (len(rows) + 1) + 0.75) as (_, axes):
        mean, spread = float(np.mean(base)), max(base) - min(base)
        axes.axvspan(max(mean - spread, min(ticks) / 10), mean + spread, color=PALETTE["line"], alpha=0.45, lw=0)
        axes.plot(base, [0] * len(base), "o", ms=5, color=PALETTE["rival"], alpha=0.85)
        for place, (name, (values, verdict)) in enumerate(rows.items(), 1):
            _fits(f"rows[{name!r}]", values)
            expect(verdict in KINDS, f"rows[{name!r}]", verdict, f"a verdict among {', '.join(KINDS)}")
            color = PALETTE[KINDS[verdict]]
            fill = "none" if verdict == "as the base" else color
            axes.plot(values, [place] * len(values), "o", ms=5, mec=color, mfc=fill, alpha=0.85)
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
