"""What length does: a share for each group of lengths, a thin line for each seed and a thick one for their mean."""

from collections.abc import Mapping, Sequence

import numpy as np

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas, name_line


@checked
def by_length(
    groups: Sequence[tuple[int, int]], lines: Mapping[str, tuple[Sequence[Sequence[float]], str]], *, x_name: str
) -> None:
    """Draw `lines`, {name: (a row of shares for each seed, kind)}, over `groups` of lengths, (first, last) of each.

    A rival's mean is dashed. Raises ValueError without a line, for rows of another length and for values that are no
    shares.
    """
    expect(len(groups) > 0, "groups", groups, "at least one group")
    expect(len(lines) > 0, "lines", lines, "at least one line")
    with canvas(height=2.9) as (_, axes):
        places = range(len(groups))
        for name, (seeds, kind) in lines.items():
            expect(kind in PALETTE, f"lines[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            fits = len(seeds) > 0 and all(len(row) == len(groups) and all(0 <= v <= 1 for v in row) for row in seeds)
            expect(fits, f"lines[{name!r}]", seeds, f"rows of {len(groups)} shares from 0 to 1")
            for row in seeds:
                axes.plot(places, row, color=PALETTE[kind], lw=0.9, alpha=0.5)
            mean = np.mean(seeds, axis=0)
            axes.plot(places, mean, color=PALETTE[kind], ls="--" if kind == "rival" else "-", lw=2.2)
            name_line(axes, places[-1], float(mean[-1]), name, kind)
        axes.set(xlabel=x_name, ylabel="share without a mistake", ylim=(0, 1.04))
        axes.set_xticks(places, [f"{a}–{b}" if a < b else str(a) for a, b in groups])
