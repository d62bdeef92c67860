"""Lessons side by side: what was learned over the steps, a thin line for each seed and a thick one for their mean."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.races import apart
from attend.figures.style import PALETTE, canvas, name_line


@checked
def lessons(
    lines: Mapping[str, tuple[Sequence[Sequence[float]], str]],
    *,
    steps: Sequence[float],
    x_name: str,
    y_name: str,
) -> None:
    """Draw `lines`, {name: (a row of shares for each seed, kind)}, over `steps`.

    `kind` is a colour of the palette; a rival's mean is dashed. Names stand at the ends, moved apart where these meet,
    and the picture is high enough for all of them. Raises ValueError when there is no line or no seed, and for rows
    that are not shares from 0 to 1, one for each step.
    """
    expect(len(lines) > 0, "lines", lines, "at least one line")
    expect(len(steps) > 1, "steps", steps, "two steps at least")
    for name, (rows, kind) in lines.items():
        expect(kind in PALETTE, f"lines[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
        fits = len(rows) > 0 and all(len(row) == len(steps) and all(0 <= share <= 1 for share in row) for row in rows)
        expect(fits, f"lines[{name!r}]", rows, f"rows of {len(steps)} shares from 0 to 1, one row at least")
    means = {name: np.mean(rows, axis=0) for name, (rows, _) in lines.items()}
    names = apart({name: float(mean[-1]) for name, mean in means.items()})
    with canvas(height=3.0) as (_, axes):
        for name, (rows, kind) in lines.items():
            for row in rows:
                axes.plot(steps, row, lw=0.8, alpha=0.4, color=PALETTE[kind])
            axes.plot(steps, means[name], color=PALETTE[kind], ls="--" if kind == "rival" else "-")
            name_line(axes, float(steps[-1]), names[name], name, kind)
        axes.set(xlabel=x_name, ylabel=y_name, ylim=(0, max(1.0, *names.values()) + 0.03))
        axes.set_yticks(np.linspace(0, 1, 6))
