"""How fast ours is beside torch's: the ratio of the times, as the sequences and the summaries grow."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

GROWS = {"T": "steps T", "H": "width H"}
NAMES = {"forward": "input", "and backward": "summary", "torch unfused": "rival"}
NAMED = {"forward": "forward", "and backward": "forward+backward", "torch unfused": False}
"""The rows that each name stands for; a name that stands alone is not written."""
TICKS, NEAR_ONE = (0.125, 0.25, 0.5, 1, 2, 4, 8, 16, 32), (0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.4, 1.6)


@checked
def speed(
    rows: Sequence[Mapping[str, Any]],
    units: Sequence[str],
    base: Mapping[str, int],
    to: Path | None = None,
    what: str = "ours / torch",
) -> None:
    """Draw ours/theirs for each of `units`: a line of panels for each size, T or H, that grows, the rest as in `base`.

    A row has unit, does ("forward" or "forward+backward"), B, T, H, threads, fused and ratio; the bands are its
    quartiles. One thread is a full line, two are dashed; where torch may not use its fused kernel the line is the
    rival's. `what` says whose times the ratio is of. With `to` the picture is also
    written there. Raises ValueError when a unit has no row.
    """
    for unit in units:
        expect(any(row["unit"] == unit for row in rows), "units", unit, "a unit that was measured")
    options = {"sharex": "row", "sharey": True}
    grows = [letter for letter in GROWS if len({row[letter] for row in rows}) > 1]
    expect(len(grows) > 0, "rows", rows, "rows in which T or H takes more than one value")
    with canvas(len(grows), len(units), height=2.3 * len(grows), **options) as (figure, panels):
        panels = np.reshape(panels, (len(grows), len(units)))
        for line, letter in zip(panels, grows, strict=True):
            fixed = {key: value for key, value in base.items() if key != letter}
            for axes, unit in zip(line, units, strict=True):
                chosen = [row for row in rows if row["unit"] == unit and fixed.items() <= row.items()]
                _panel(axes, chosen, letter)
                axes.set_xlabel(GROWS[letter])
            line[0].set_ylabel(f"time, {what}")
        for axes, unit in zip(panels[0], units, strict=True):
            axes.annotate(unit, (0.5, 1.02), xycoords="axes fraction", ha="center")
        there = {row["does"] for row in rows} | {row["fused"] for row in rows}
        named = [name for name, what in NAMED.items() if what in there]
        for place, name in enumerate(named if len(named) > 1 else ()):
            kind = NAMES[name]
            style = {"color": PALETTE[kind], "fontsize": 9, "va": "top"}
            panels[0, 0].annotate(name, (0.04, 0.98 - 0.11 * place), xycoords="axes fraction", **style)
        if len(named) > 1:
            highest = max(row["ratio_high"] for row in rows if row["unit"] == units[0])
            low, high = panels[0, 0].get_ylim()
            room = low * (highest / low) ** (1 / (0.96 - 0.11 * len(named)))
            panels[0, 0].set_ylim(top=max(high, room))  # the names stand above the bands
        if to is not None:
            figure.savefig(to)


def _panel(axes: Axes, rows: Sequence[Mapping[str, Any]], letter: str) -> None:
    lines: dict[tuple, list] = {}
    for row in sorted(rows, key=lambda row: row[letter]):
        lines.setdefault((row["does"], row["threads"], row["fused"]), []).append(row)
    axes.axhline(1, color=PALETTE["line"], lw=1)
    for (does, threads, fused), points in lines.items():
        kind = "rival" if not fused else "input" if does == "forward" else "summary"
        x, low, high = ([point[key] for point in points] for key in (letter, "ratio_low", "ratio_high"))
        axes.plot(
            x, [point["ratio"] for point in points], color=PALETTE[kind], ls="-" if threads == 1 else "--", lw=1.5
        )
        axes.fill_between(x, low, high, color=PALETTE[kind], alpha=0.15, lw=0)
    axes.set(xscale="log", yscale="log")
    places = sorted({row[letter] for row in rows})
    axes.xaxis.set(major_locator=FixedLocator(places[::2]), minor_locator=NullLocator())
    low, high = axes.get_ylim()
    ticks = NEAR_ONE if NEAR_ONE[0] < low and high < NEAR_ONE[-1] else TICKS
    axes.yaxis.set(major_locator=FixedLocator(ticks), minor_locator=NullLocator())
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
