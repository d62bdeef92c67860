"""A race on harder and harder ground: for each runner the mean of its seeds, and the seeds pale beside it."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_ends


@checked
def race(
    runners: Mapping[str, tuple[Sequence[Sequence[float]], str]],
    *,
    places: Sequence[float],
    x_name: str,
    y_name: str,
    log: bool = False,
    ticks: Sequence[float] | None = None,
) -> None:
    """Draw `runners`, {name: (a row of shares for each seed, kind)}, over `places`, of which each is a tick.

    `kind` is a colour of the palette; a rival's lines are dashed. Names stand at the ends of the means, moved apart
    where these meet. `log` makes equal steps of equal factors; `ticks`
    are others than the places. Raises ValueError when there is no runner, a runner has no seed, and for rows that are
    not shares from 0 to 1, one for each place.
    """
    expect(len(runners) > 0, "runners", runners, "at least one runner")
    expect(len(places) > 0 and not (log and min(places) <= 0), "places", places, "at least one, above 0 if log")
    ticks = places if ticks is None else ticks
    expect(len(ticks) > 0 and not (log and min(ticks) <= 0), "ticks", ticks, "at least one, above 0 if log")
    with canvas(height=3.0) as (_, axes):
        ends = {}
        for name, (rows, kind) in runners.items():
            expect(kind in PALETTE, f"runners[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            fits = len(rows) > 0 and all(
                len(row) == len(places) and all(0 <= share <= 1 for share in row) for row in rows
            )
            expect(fits, f"runners[{name!r}]", rows, f"rows of {len(places)} shares from 0 to 1, one row at least")
            style = {"color": PALETTE[kind], "ls": "--" if kind == "rival" else "-"}
            for row in rows:
                axes.plot(places, row, lw=0.8, alpha=0.5, **style)
            mean = np.mean(rows, axis=0)
            axes.plot(places, mean, **style)
            ends[name] = float(places[-1]), float(mean[-1]), kind
        axes.set(xlabel=x_name, ylabel=y_name, ylim=(0, 1.03), xscale="log" if log else "linear")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_yticks(np.linspace(0, 1, 6))
        axes.set_xticks([], minor=True)
        name_ends(axes, ends)
