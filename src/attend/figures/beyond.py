"""Lines by position, within the length that was trained on and beyond it: a thin one for each seed, a thick mean."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_ends


@checked
def beyond(
    lines: Mapping[str, tuple[Sequence[float], Sequence[Sequence[float]], str]],
    *,
    trained: float,
    x_name: str,
    y_name: str,
    y_range: tuple[float, float],
) -> None:
    """Draw `lines`, {name: (places, a row of values for each seed, kind)}; up to `trained` the ground is shaded.

    `kind` is a colour's name in the palette; a rival's mean is dashed. A line may end before the others. Raises
    ValueError without a line, and for rows that are not finite or of another length than their places.
    """
    expect(len(lines) > 0, "lines", lines, "at least one line")
    expect(math.isfinite(trained), "trained", trained, "a finite number")
    expect(-math.inf < y_range[0] < y_range[1] < math.inf, "y_range", y_range, "a lower number and a higher one")
    with canvas(height=3.2) as (_, axes):
        ends, longest = {}, max(places[-1] for places, _, _ in lines.values() if len(places))
        for name, (places, seeds, kind) in lines.items():
            expect(kind in PALETTE, f"lines[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            rows = [len(row) == len(places) > 0 and bool(np.isfinite(row).all()) for row in seeds]
            expect(len(rows) > 0 and all(rows), f"lines[{name!r}]", seeds, f"rows of {len(places)} finite numbers")
            for row in seeds:
                axes.plot(places, row, color=PALETTE[kind], lw=0.8, alpha=0.4)
            mean = np.mean(seeds, axis=0)
            axes.plot(places, mean, color=PALETTE[kind], ls="--" if kind == "rival" else "-", lw=2.2)
            if places[-1] == longest:
                ends[name] = (float(places[-1]), float(mean[-1]), kind)
            else:  # it ends early, where other lines go on: a dot, and its name below
                axes.plot(places[-1], mean[-1], "o", color=PALETTE[kind], ms=6)
                below = {"xytext": (0, -13), "textcoords": "offset points", "ha": "right", "va": "center"}
                axes.annotate(name, (places[-1], mean[-1]), color=PALETTE[kind], **below)
        left = min(places[0] for places, _, _ in lines.values())
        axes.axvspan(left, trained, color=PALETTE["line"], alpha=0.35, lw=0)
        axes.set(xlabel=x_name, ylabel=y_name, ylim=y_range)
        axes.margins(x=0.02)
        axes.annotate(
            "trained on",
            (trained, y_range[1]),
            xytext=(-4, 3),
            textcoords="offset points",
            ha="right",
            annotation_clip=False,
            color=PALETTE["quiet"],
            fontsize=9,
        )
        name_ends(axes, ends)
