"""What a pen wrote: words as lines, one below the other, and a word with the letter that each step was written for."""

from collections.abc import Mapping, Sequence

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.style import PALETTE, canvas

Pen = Float[Tensor, "T 3"]


@checked
def written(rows: Mapping[str, Sequence[Pen]], kind: str = "ink") -> None:
    """Words as pen steps (dx, dy, lift): a row for each name, its words side by side, all on one scale.

    Raises ValueError for no row, a row without words, and a colour that is not in the palette.
    """
    expect(len(rows) > 0 and all(len(pens) > 0 for pens in rows.values()), "rows", rows, "words in every row")
    expect(kind in PALETTE, "kind", kind, f"one of {', '.join(PALETTE)}")
    with canvas(height=max(0.7, 0.75 * len(rows))) as (_, axes):
        widest = 1.0
        for n, (name, pens) in enumerate(rows.items()):
            left, base = 0.0, -12.0 * n
            axes.text(-1.5, base + 1, name, ha="right", va="center", fontsize=9.5, color=PALETTE["quiet"])
            for pen in pens:
                left = 3 + _draw(axes, pen, (left, base), kind)
            widest = max(widest, left)
        axes.set(xlim=(-1, widest), ylim=(-12.0 * len(rows) + 7, 8), aspect="equal")
        axes.axis("off")


@checked
def under_window(pen: Pen, phi: Float[Tensor, "T U"], letters: str) -> None:
    """The weights of the letters at every step of the pen, the more the darker, and below the line that was written.

    Raises ValueError for weights of other steps or letters.
    """
    expect(phi.shape == (len(pen), len(letters)), "phi", phi, f"shape ({len(pen)}, {len(letters)})")
    with canvas(2, height=3.3, height_ratios=(1.25, 1)) as (_, (top, bottom)):
        top.imshow(
            phi.T.clamp(0, 1.2).numpy(), aspect="auto", cmap=_shades(), vmin=0, vmax=1.2, interpolation="nearest"
        )
        top.set_yticks(range(len(letters)), letters)
        top.set(xlabel="step of the pen")
        on = phi.argmax(1)
        points = np.cumsum(pen[:, :2].numpy(), axis=0)
        _draw(bottom, pen, (0.0, 0.0), "line")
        for u in range(len(letters)):
            steps = (on == u).nonzero().flatten().tolist()
            for t in steps[1:]:
                if t - 1 in steps and not pen[t - 1, 2]:
                    colour = PALETTE["attention" if u % 2 else "summary"]
                    bottom.plot(*points[t - 1 : t + 1].T, color=colour, lw=2.2, solid_capstyle="round")
        bottom.set(aspect="equal")
        bottom.axis("off")


def _shades():
    from matplotlib.colors import LinearSegmentedColormap, to_rgba

    colour = to_rgba(PALETTE["attention"])
    return LinearSegmentedColormap.from_list("weights", [(*colour[:3], 0.0), colour])


def _draw(axes: Axes, pen: Tensor, at: tuple[float, float], kind: str) -> float:
    """Draw a word from `at`; how far to the right it came."""
    points, begin = np.cumsum(pen[:, :2].numpy(), axis=0) + np.array(at), 0
    for t in pen[:, 2].nonzero().flatten().tolist():
        stroke, begin = points[begin : t + 1], t + 1
        if len(stroke) > 1:
            axes.plot(*stroke.T, color=PALETTE[kind], lw=1.5, solid_capstyle="round", solid_joinstyle="round")
        else:
            axes.plot(*stroke.T, ".", color=PALETTE[kind], ms=3.5)
    return float(points[:, 0].max())
