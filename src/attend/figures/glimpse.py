"""What a glimpse sees and costs: windows on a canvas, numbers over widths, distances, and a staircase of places."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from jaxtyping import Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas, name_ends

Line = tuple[Sequence[Sequence[float]], str]


@checked
def retina(
    image: Float[Tensor, "Y X"],
    corner: tuple[int, int],
    crops: Float[Tensor, "K P P"],
    picture: Float[Tensor, "W W"],
) -> None:
    """Above, an image with the window of each of K scales outlined, and what is seen as one picture; below, the crops.

    The widest window begins at `corner` (row, column), is W pixels wide, and may stick out. Raises ValueError unless
    W is the width of the widest of K windows of which each is twice as wide as the one before.
    """
    scales, size = crops.shape[:2]
    wide = size * 2 ** (scales - 1)
    expect(len(picture) == wide, "picture", picture, f"a picture of {wide} x {wide} pixels, as the widest crop covers")
    expect(max(map(abs, corner)) < 10_000, "corner", corner, "row and column of a pixel near the image")
    pattern = [["image"] * scales + ["seen"] * scales, [str(k) for k in range(scales) for _ in range(2)]]
    with canvas(height=2.95 + 5.2 / scales if scales > 1 else 5.6) as (figure, axes):
        axes.remove()
        panels = figure.subplot_mosaic(pattern, height_ratios=(1, 2 / scales if scales > 1 else 1))
        lay(panels["image"], ink(image, "input"), (0, image.shape[1], image.shape[0], 0))
        panels["image"].set_xlabel(f"the canvas: {image.shape[0]} × {image.shape[1]} pixels", fontsize=10)
        lay(panels["seen"], ink(picture, "input"), (0, wide, wide, 0))
        panels["seen"].set_xlabel(f"what is seen: {wide} × {wide} pixels", fontsize=10)
        for k, crop in enumerate(crops):
            across = size * 2**k
            edge = (wide - across) // 2
            _window(panels["image"], (corner[0] + edge, corner[1] + edge), across, 2.2 if k == 0 else 1.4)
            _window(panels["seen"], (edge, edge), across, 2.2 if k == 0 else 1.4)
            lay(panels[str(k)], ink(crop, "input"), (0, size, size, 0))
            how = f"as {size} × {size} means" if k else "as they are"
            panels[str(k)].set_xlabel(f"{across} × {across} pixels\n{how}", fontsize=10)
        _fit(panels["image"], corner, wide, image.shape)


def _window(axes: Axes, corner: tuple[int, int], across: int, thick: float) -> None:
    row, column = corner
    outline = Rectangle((column, row), across, across, fill=False, lw=thick, color=PALETTE["attention"])
    outline.set_clip_on(False)
    axes.add_patch(outline)


def _fit(axes: Axes, corner: tuple[int, int], wide: int, shape: Sequence[int]) -> None:
    """Room for the windows that stick out, and the image's own edge drawn where it is."""
    height, width = shape
    row, column = corner
    axes.set(xlim=(min(0, column), max(width, column + wide)), ylim=(max(height, row + wide), min(0, row)))
    axes.add_patch(Rectangle((0, 0), width, height, fill=False, lw=0.8, color=PALETTE["quiet"]))
    for spine in axes.spines.values():
        spine.set_visible(False)


@checked
def growth(widths: Sequence[int], lines: Mapping[str, tuple[Sequence[float], str]], *, y_name: str) -> None:
    """What each of `lines`, {name: (a number for each width, colour)}, costs over the width of the image, on log axes.

    Raises ValueError for fewer than two widths, and for numbers that are not positive or too few.
    """
    rising = len(widths) > 1 and all(0 < a < b for a, b in pairwise(widths))
    expect(rising, "widths", widths, "two or more widths in rising order")
    expect(len(lines) > 0, "lines", lines, "at least one line")
    with canvas(height=3.3) as (_, axes):
        axes.set(xscale="log", yscale="log")
        for name, (values, kind) in lines.items():
            _coloured(f"lines[{name!r}]", kind)
            fits = len(values) == len(widths) and all(0 < value < float("inf") for value in values)
            expect(fits, f"lines[{name!r}]", values, f"{len(widths)} numbers above 0")
            axes.plot(widths, values, marker="o", ms=4, color=PALETTE[kind], ls="--" if kind == "rival" else "-")
        axes.set(xlabel="width of the image (pixels)", ylabel=y_name)
        axes.set_xticks(widths, [str(width) for width in widths])
        axes.minorticks_off()
        name_ends(axes, {name: (widths[-1], float(values[-1]), kind) for name, (values, kind) in lines.items()})


@checked
def by_distance(
    edges: Sequence[float], lines: Mapping[str, Line], *, y_name: str, y_range: tuple[float, float], even: bool = False
) -> None:
    """`lines`, {name: (a row of values for each seed, colour)}, over how far the glimpse was from the digit.

    `edges` are the ends of the groups of distances, one more than the values of a row. A thin line is a seed, a thick
    one the mean. With `even` the line on which distance stays as it was is drawn. Raises ValueError without a line
    and for rows of another length.
    """
    rising = len(edges) > 2 and all(a < b for a, b in pairwise(edges))
    expect(rising, "edges", edges, "three or more distances in rising order")
    expect(len(lines) > 0, "lines", lines, "at least one line")
    expect(y_range[0] < y_range[1], "y_range", y_range, "the lower end and the upper end")
    middles = [(a + b) / 2 for a, b in pairwise(edges)]
    ends = {}
    with canvas(height=2.9) as (_, axes):
        if even:
            axes.plot(middles, middles, color=PALETTE["line"], lw=1.2)
            at = middles[-2], middles[-2]
            options = {"textcoords": "offset points", "ha": "right", "va": "bottom", "fontsize": 9.5}
            axes.annotate("without a step", at, (-4, 0), color=PALETTE["quiet"], **options)
        for name, (seeds, kind) in lines.items():
            _coloured(f"lines[{name!r}]", kind)
            fits = len(seeds) > 0 and all(len(row) == len(middles) and bool(np.isfinite(row).all()) for row in seeds)
            expect(fits, f"lines[{name!r}]", seeds, f"rows of {len(middles)} finite values")
            for row in seeds:
                axes.plot(middles, row, color=PALETTE[kind], lw=0.9, alpha=0.5)
            mean = np.mean(seeds, axis=0)
            axes.plot(middles, mean, color=PALETTE[kind], lw=2.2, ls="--" if kind == "rival" else "-")
            ends[name] = middles[-1], float(mean[-1]), kind
        axes.set(xlabel="distance from the middle of the digit (pixels)", ylabel=y_name, ylim=y_range)
        name_ends(axes, ends)


@checked
def stairs(
    places: Float[Tensor, "N"],
    f: Float[Tensor, "N"],
    middle: float,
    *,
    y_name: str,
    smooth: Float[Tensor, "N"] | None = None,
) -> None:
    """What a reward `f` is while the location slides across, with the middle of the digit marked.

    `smooth` is the same reward where the glimpse is interpolated, drawn as a thin line.
    """
    expect(len(places) > 1, "places", places, "two or more places")
    expect(len(f) == len(places), "f", f, f"{len(places)} numbers, one for each place")
    expect(-2 <= middle <= 2, "middle", middle, "a place, from -1 to 1")
    with canvas(height=2.6) as (_, axes):
        axes.axvline(middle, color=PALETTE["line"], lw=1.2)
        if smooth is not None:
            expect(len(smooth) == len(places), "smooth", smooth, f"{len(places)} numbers, one for each place")
            axes.plot(places.tolist(), smooth.tolist(), color=PALETTE["attention"], lw=1)
        jumps = np.flatnonzero(np.diff(f.numpy())) + 1
        for part in np.split(np.arange(len(f)), jumps):
            axes.plot(places[part].tolist(), f[part].tolist(), color=PALETTE["error"], lw=2, solid_capstyle="butt")
        top = axes.get_ylim()[1]
        axes.annotate(
            "middle of the digit", (middle, top), color=PALETTE["quiet"], fontsize=9.5, ha="center", va="bottom"
        )
        axes.set(xlabel="location of the glimpse, across", ylabel=y_name)


def _coloured(name: str, kind: str) -> None:
    expect(kind in PALETTE, name, kind, f"a colour among {', '.join(PALETTE)}")
