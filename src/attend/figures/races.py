"""A race on harder and harder ground: for each runner the mean of its seeds, and the seeds pale beside it."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line

HEIGHT, TOP = 3.0, 1.03
LINE = 0.085
"""The height of a name, in shares, when the picture is HEIGHT inches high and shows shares from 0 to TOP."""


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
    where these meet, and the picture is high enough for all of them. `log` makes equal steps of equal factors; `ticks`
    are others than the places. Raises ValueError when there is no runner, a runner has no seed, and for rows that are
    not shares from 0 to 1, one for each place.
    """
    expect(len(runners) > 0, "runners", runners, "at least one runner")
    expect(len(places) > 0 and not (log and min(places) <= 0), "places", places, "at least one, above 0 if log")
    ticks = places if ticks is None else ticks
    expect(len(ticks) > 0 and not (log and min(ticks) <= 0), "ticks", ticks, "at least one, above 0 if log")
    with canvas(height=HEIGHT) as (_, axes):
        ends = {}
        for name, (rows, kind) in runners.items():
            expect(kind in PALETTE, f"runners[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            fits = len(rows) > 0 and all(
                len(row) == len(places) and all(0 <= share <= 1 for share in row) for row in rows
            )
            expect(fits, f"runners[{name!r}]", rows, f"rows of {len(places)} shares from 0 to 1, one row at least")
            style = {"color": PALETTE[kind], "ls": "--" if kind == "rival" else "-"}
            for row in rows:
                axes.plot(places, row, lw=0.8, alpha=0.35, **style)
            mean = np.mean(rows, axis=0)
            axes.plot(places, mean, **style)
            ends[name] = float(mean[-1])
        names = apart(ends)
        for name, height in names.items():
            name_line(axes, float(places[-1]), height, name, runners[name][1])
        top = max(TOP, max(names.values()) + LINE / 2)
        axes.set(xlabel=x_name, ylabel=y_name, ylim=(0, top), xscale="log" if log else "linear")
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_yticks(np.linspace(0, 1, 6))
        axes.set_xticks([], minor=True)


@checked
def apart(ends: Mapping[str, float], gap: float = LINE) -> dict[str, float]:
    """Where the names of lines go that end at `ends`: at least `gap` from each other, in order, and near their ends.

    Names that would touch stand as a group around the middle of their ends. Raises ValueError for a `gap` not above 0.
    """
    expect(gap > 0, "gap", gap, "a number above 0")
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
