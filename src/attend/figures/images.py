"""Pictures of pictures: strips of images, what a unit listens to, and where on a canvas a net looks."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas

Box = tuple[range, range]


@checked
def strips(rows: Mapping[str, Float[Tensor, "N Y X"]], kinds: Mapping[str, str] | None = None) -> None:
    """A strip of images a row, its name on the left; the more ink, the more colour: that of inputs, or as `kinds` says.

    Each row is scaled by its own largest value; negative values are drawn in the colour of errors. Raises ValueError
    for no row, for a colour that is not in the palette, and for a row that is 0 everywhere.
    """
    expect(len(rows) > 0, "rows", rows, "at least one row of images")
    kinds = dict.fromkeys(rows, "input") | dict(kinds or {})
    expect(set(kinds.values()) <= set(PALETTE), "kinds", kinds, f"colours among {', '.join(PALETTE)}")
    count = max(len(images) for images in rows.values())
    options = {"squeeze": False, "gridspec_kw": {"wspace": 0.08, "hspace": 0.08}}
    with canvas(len(rows), count, height=max(0.6, 4.7 / count * len(rows)), **options) as (_, axes):
        for side, (name, images) in zip(axes, rows.items(), strict=True):
            most = float(images.abs().max())
            expect(most > 0, f"rows[{name!r}]", images, "images that are not 0 everywhere")
            for axis, image in zip(side, images, strict=False):
                lay(axis, ink(image / most, kinds[name]))
            for axis in side[len(images) :]:
                axis.set_axis_off()
            side[0].set_ylabel(name, rotation=0, ha="right", va="center", fontsize=10)


@checked
def fields(strengths: Mapping[str, Float[Tensor, "Y X"]], boxes: Sequence[Box]) -> None:
    """How strongly one unit of each layer listens to each pixel, and the square of the formula around it.

    `boxes` holds the rows and columns of the square for each of `strengths`, in its order. Raises ValueError unless
    there are as many boxes as strengths, and for a strength that is 0 everywhere.
    """
    expect(len(strengths) > 0, "strengths", strengths, "at least one layer")
    expect(len(boxes) == len(strengths), "boxes", len(boxes), f"{len(strengths)} boxes, one for each layer")
    with canvas(1, len(strengths), height=5.6 / len(strengths) + 0.3, squeeze=False) as (_, axes):
        for axis, (name, strength), box in zip(axes[0], strengths.items(), boxes, strict=True):
            most = float(strength.abs().max())
            expect(most > 0, f"strengths[{name!r}]", strength, "a strength that is not 0 everywhere")
            lay(axis, ink(strength / most, "summary"))
            _square(axis, box)
            axis.set_xlabel(f"{name}\n{len(box[0])} × {len(box[1])}", fontsize=10)


@checked
def regions(canvases: Float[Tensor, "N Y X"], weights: Float[Tensor, "N R C"], width: int, jump: int) -> None:
    """Canvases with the region of the largest weight marked, and below each the weights of all its regions.

    A region is `width` pixels wide, and neighbours lie `jump` pixels apart. Raises ValueError for regions that leave
    the canvas.
    """
    count, height, across = canvases.shape
    expect(width > 0, "width", width, "a positive whole number of pixels")
    expect(jump > 0, "jump", jump, "a positive whole number of pixels")
    rows, columns = weights.shape[1:]
    inside = (rows - 1) * jump + width <= height and (columns - 1) * jump + width <= across
    expect(inside, "weights", weights, f"regions that lie inside a canvas of {height} x {across} pixels")
    with canvas(2, count, height=11 / count, squeeze=False) as (_, axes):
        for above, below, image, weight in zip(*axes, canvases, weights, strict=True):
            lay(above, ink(image / max(float(image.abs().max()), 1e-9), "input"))
            row, column = divmod(int(weight.argmax()), columns)
            _square(above, (range(row * jump, row * jump + width), range(column * jump, column * jump + width)))
            lay(below, ink(weight / max(float(weight.max()), 1e-9), "attention"))
        axes[0, 0].set_ylabel(f"{height} pixels", fontsize=10)
        axes[1, 0].set_ylabel(f"{rows} regions", fontsize=10)


def _square(axes: Axes, box: Box) -> None:
    rows, columns = box
    corner = columns.start - 0.5, rows.start - 0.5
    axes.add_patch(Rectangle(corner, len(columns), len(rows), fill=False, lw=2, color=PALETTE["attention"]))
