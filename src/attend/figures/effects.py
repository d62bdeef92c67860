"""What each change does: a dot for each seed, and the mean with its 95 % interval."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy.stats import t as student

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas


@checked
def effects(rows: Mapping[str, tuple[Sequence[float], str]], *, x_name: str) -> None:
    """Draw `rows`, {name: (an effect for each seed, kind)}, from top to bottom, around a line at 0.

    A dot is a seed; the bar with its middle marked is the 95 % interval of their mean. `kind` is a colour's name in the
    palette. Raises ValueError when there is no row, and for a row of fewer than two seeds.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row")
    with canvas(height=0.42 * len(rows) + 0.75) as (_, axes):
        axes.axvline(0, color=PALETTE["line"], lw=1)
        for place, (name, (values, kind)) in enumerate(rows.items()):
            several = len(values) > 1 and bool(np.isfinite(values).all())
            expect(several, f"rows[{name!r}]", values, "two values at least, all finite")
            expect(kind in PALETTE, f"rows[{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            mean, error = float(np.mean(values)), float(np.std(values, ddof=1)) / len(values) ** 0.5
            half = float(student.ppf(0.975, len(values) - 1)) * error
            axes.plot(values, [place - 0.14] * len(values), "o", ms=4.5, color=PALETTE[kind], alpha=0.55, mew=0)
            axes.errorbar(mean, place + 0.16, xerr=half, fmt="D", ms=5, color=PALETTE[kind], elinewidth=2.2, capsize=0)
        axes.set(xlabel=x_name, ylim=(len(rows) - 0.5, -0.5))
        axes.set_yticks(range(len(rows)), list(rows))
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        for label, (_, kind) in zip(axes.get_yticklabels(), rows.values(), strict=True):
            label.set_color(PALETTE[kind])
