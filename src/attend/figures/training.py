"""Runs of training side by side, and tokens where their embeddings lie in the plane."""

import math
from collections.abc import Mapping, Sequence

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

Line = tuple[Sequence[float], str]


@checked
def panels(
    runs: Mapping[str, Mapping[str, Line]], *, x_name: str, y_name: str, y_range: tuple[float, float] | None = None
) -> None:
    """A panel for each question, {question: {name: (values by step, colour)}}; names stand in the upper corner.

    Raises ValueError for no panel, a panel without lines, a line that is empty or not finite, an unknown colour.
    """
    expect(len(runs) > 0 and all(runs.values()), "runs", runs, "at least one panel, and a line in each")
    with canvas(1, len(runs), height=2.8, sharey=True, squeeze=False) as (_, axes):
        for panel, (question, lines) in zip(axes[0], runs.items(), strict=True):
            for place, (name, (values, kind)) in enumerate(lines.items()):
                fits = len(values) > 0 and all(math.isfinite(value) for value in values)
                expect(fits, f"runs[{question!r}][{name!r}]", values, "finite numbers, one at least")
                expect(kind in PALETTE, f"runs[{question!r}][{name!r}]", kind, f"a colour among {', '.join(PALETTE)}")
                panel.plot(range(1, len(values) + 1), values, color=PALETTE[kind], lw=1)
                at = {"xy": (0.98, 0.98 - 0.1 * place), "xycoords": "axes fraction", "ha": "right", "va": "top"}
                panel.annotate(name, color=PALETTE[kind], weight="bold", **at)
            panel.set(xlabel=x_name)
            panel.annotate(question, (0, 1.03), xycoords="axes fraction", color=PALETTE["quiet"])
        axes[0, 0].set(ylabel=y_name, **({"ylim": y_range} if y_range else {}))


@checked
def named(places: Mapping[str, tuple[float, float, str]], *, x_name: str, y_name: str) -> None:
    """Write each token where it lies, {token: (x, y, colour)}.

    Raises ValueError for no token, a place that is not finite, and a colour that the palette does not have.
    """
    expect(len(places) > 0, "places", places, "at least one token")
    with canvas(height=3.6) as (_, axes):
        for token, (x, y, kind) in places.items():
            finite = math.isfinite(x) and math.isfinite(y)
            expect(finite, f"places[{token!r}]", (x, y), "two finite numbers")
            expect(kind in PALETTE, f"places[{token!r}]", kind, f"a colour among {', '.join(PALETTE)}")
            axes.text(x, y, token, color=PALETTE[kind], ha="center", va="center", fontsize=13, weight="bold")
            axes.plot(x, y, alpha=0)
        axes.set(xlabel=x_name, ylabel=y_name)
        axes.margins(0.08)
