"""Shares side by side: a dot for each seed, and for each row the line that it cannot pass."""

import math
from collections.abc import Mapping, Sequence

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

Row = tuple[Sequence[float], float]


@checked
def shares(panels: Mapping[str, Mapping[str, Row]], *, x_name: str, y_name: str) -> None:
    """A panel for each question, a row for each reader: (shares of its seeds, its ceiling), all from 0 to 1.

    Rows are drawn from top to bottom and have the same names in all panels. Raises ValueError where they have not, for
    a panel without rows, a row without shares, and a share or ceiling outside 0 to 1.
    """
    expect(len(panels) > 0, "panels", panels, "at least one panel")
    names = list(next(iter(panels.values())))
    expect(len(names) > 0, "panels", panels, "at least one row in each panel")
    for question, rows in panels.items():
        expect(list(rows) == names, f"panels[{question!r}]", list(rows), f"the rows {', '.join(names)}")
        for name, (values, limit) in rows.items():
            fits = len(values) > 0 and all(math.isfinite(v) and 0 <= v <= 1 for v in (*values, limit))
            expect(fits, f"panels[{question!r}][{name!r}]", (values, limit), "shares and a ceiling from 0 to 1")
    with canvas(1, len(panels), height=0.5 * len(names) + 0.9, sharey=True, squeeze=False) as (_, axes):
        for panel, (question, rows) in zip(axes[0], panels.items(), strict=True):
            for place, (values, limit) in enumerate(rows.values()):
                panel.plot([limit] * 2, [place - 0.3, place + 0.3], color=PALETTE["ink"], lw=1.5)
                panel.plot(values, [place] * len(values), "o", color=PALETTE["summary"], ms=6, alpha=0.6)
            panel.set(xlabel=x_name, xlim=(0, 1.06))
            panel.set_xticks((0, 0.5, 1), labels=("0", "0.5", "1"))
            panel.annotate(question, (0, 1.04), xycoords="axes fraction", color=PALETTE["quiet"])
        axes[0, 0].set(ylabel=y_name, ylim=(len(names) - 0.5, -0.5))
        axes[0, 0].set_yticks(range(len(names)), names)
