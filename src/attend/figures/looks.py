"""Where a model looked: its places on each canvas, one after the other, and the box of what it was to find."""

from collections.abc import Sequence

from jaxtyping import Float, Int
from matplotlib.patches import Rectangle
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas


@checked
def looks(
    images: Float[Tensor, "N W W"],
    places: Float[Tensor, "N T 2"],
    corners: Int[Tensor, "N 2"],
    side: int,
    said: Sequence[Sequence[str]],
    columns: int = 4,
) -> None:
    """Draw each canvas with its T places as dots along a line, the first open, and what was `said` after each under it.

    Places are (down, across), from −1 at the top or left edge to 1. The box begins at `corners` (row, column) and is
    `side` pixels wide. Raises ValueError for a box that leaves the canvas, and unless there is a word for each place.
    """
    N, T, width = len(images), places.shape[1], images.shape[1]
    fits = 0 < side <= width and bool((corners >= 0).all() and (corners <= width - side).all())
    expect(fits, "corners", corners, f"boxes of {side} pixels on a canvas of {width}")
    spoken = len(said) == N and all(len(words) == T for words in said)
    expect(spoken, "said", said, f"{T} words for each of {N} canvases")
    expect(columns > 0, "columns", columns, "a positive whole number")
    rows = -(-N // columns)
    options = {"squeeze": False, "gridspec_kw": {"wspace": 0.08, "hspace": 0.12}}
    with canvas(rows, columns, height=5.4 / columns * 1.16 * rows, **options) as (_, axes):
        for spare in axes.flat[N:]:
            spare.set_axis_off()
        for n, panel in enumerate(axes.flat[:N]):
            lay(panel, ink(images[n] / 1.6, "ink"), (0, width, width, 0))
            row, column = corners[n].tolist()
            panel.add_patch(_box(column, row, side))
            down, across = ((places[n].detach() + 1) * width / 2).unbind(1)
            panel.plot(across, down, "-o", color=PALETTE["attention"], lw=1.4, ms=4.5, mew=1.4)
            panel.plot(across[0], down[0], "o", color=PALETTE["attention"], ms=5.5, mew=1.4, mfc="w")
            panel.set(xlim=(0, width), ylim=(width, 0))
            panel.set_xlabel("  ".join(said[n]), fontsize=12.5)


def _box(column: int, row: int, side: int) -> Rectangle:
    return Rectangle((column, row), side, side, fill=False, lw=1.0, color=PALETTE["quiet"])
