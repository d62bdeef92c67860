"""A text letter by letter, each on a ground as dark as a number says: what a cell holds while it reads."""

from collections.abc import Sequence

from matplotlib.patches import Rectangle

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

LONGEST = 68
"""Characters of a line, so that it can be read on a phone."""


@checked
def letters(text: str, values: Sequence[float], kind: str = "summary") -> None:
    """Draw `text` in its own lines; the larger a character's value, the darker the colour `kind` behind it.

    `values` has one finite number for each character, line breaks included; the least is left white. Raises
    ValueError for another number of values, and for a line of more than 68 characters.
    """
    expect(len(values) == len(text) > 0, "values", len(values), f"{max(len(text), 1)} numbers, one a character")
    expect(all(abs(value) < float("inf") for value in values), "values", values, "finite numbers")
    expect(kind in PALETTE, "kind", kind, f"a colour among {', '.join(PALETTE)}")
    lines = text.split("\n")
    widest = max(map(len, lines))
    expect(widest <= LONGEST, "text", widest, f"lines of at most {LONGEST} characters")
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    row = column = 0
    with canvas(height=0.2 * len(lines) + 0.1) as (_, axes):
        for character, value in zip(text, values, strict=True):
            if character == "\n":
                row, column = row + 1, 0
                continue
            ground = {"color": PALETTE[kind], "alpha": 0.75 * (value - low) / span, "lw": 0}
            axes.add_patch(Rectangle((column, row - 0.5), 1, 1, **ground))
            axes.text(column + 0.5, row, character, family="DejaVu Sans Mono", ha="center", va="center", fontsize=7.5)
            column += 1
        axes.set(xlim=(0, LONGEST), ylim=(len(lines) - 0.4, -0.6))
        axes.axis("off")
