"""Where a network looked: maps beside the canvas with the digit's box."""

from collections.abc import Mapping

from jaxtyping import Float, Int
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas


@checked
def looked(
    rows: Mapping[str, Float[Tensor, "N _ _"]],
    kinds: Mapping[str, str],
    corners: Int[Tensor, "N 2"],
    side: int,
    width: int,
    jump: int = 2,
) -> None:
    """A row for each kind of map, a column for each canvas; in all of them the digit's box is outlined.

    The box begins at `corners` (row, column) and is `side` pixels wide, on canvases of `width` pixels. A coarser map
    holds places that are `jump` pixels apart; each is drawn in the middle of what it sees. Every map is scaled by its
    own largest value.

    Raises ValueError for no row, a row without a colour of the palette in `kinds`, a map without mass, and a box that
    leaves the canvas.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row of maps")
    coloured = set(rows) <= set(kinds) and set(kinds.values()) <= set(PALETTE)
    expect(coloured, "kinds", dict(kinds), f"for each row one of {', '.join(PALETTE)}")
    expect(0 < side <= width, "side", side, f"pixels between 1 and {width}, the width")
    fits = bool((corners >= 0).all() and (corners <= width - side).all())
    expect(fits, "corners", corners, f"rows and columns from 0 to {width - side}")
    expect(jump > 0, "jump", jump, "a positive whole number of pixels")
    count = len(corners)
    options = {"squeeze": False, "gridspec_kw": {"wspace": 0.06, "hspace": 0.06}}
    with canvas(len(rows), count, height=4.4 / count * len(rows), **options) as (_, axes):
        for line, (name, maps) in zip(axes, rows.items(), strict=True):
            line[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)
            for axis, image, corner in zip(line, maps, corners.tolist(), strict=True):
                most = float(image.abs().max())
                expect(most > 0, f"rows[{name!r}]", image, "maps that are not 0 everywhere")
                _map(axis, image.abs() / most, kinds[name], width, jump)
                _box(axis, corner, side)


def _map(axes: Axes, image: Tensor, kind: str, width: int, jump: int) -> None:
    """One map on its canvas: the colour is as dense as the value is large."""
    across = image.shape[1] if image.shape[1] == width else image.shape[1] * jump
    edge = (width - across) / 2
    lay(axes, ink(image, kind), (edge, edge + across, edge + across, edge))
    axes.set(xlim=(0, width), ylim=(width, 0))


def _box(axes: Axes, corner: list[int], side: int) -> None:
    row, column = corner
    axes.add_patch(Rectangle((column, row), side, side, fill=False, lw=1.2, color=PALETTE["ink"]))
