"""A canvas to look at through a few small crops around one location, and to draw on."""

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

SIZES, MOST = (8, 12, 16), 4
"""The widths of a crop that a reader can choose, and the largest number of scales."""


class Glimpse(LiveFigure):
    """Canvases, one location on them that a reader moves, and all that a glimpse at this location hands on.

    `canvases` (N, W, W), float in [0, 1], can be looked at one after the other. The first look is at `location`
    (down, across), from -1 to 1, with `scales` crops of `size` x `size` numbers. Raises ValueError for canvases that
    are not square, a location that lies outside, and numbers that cannot be chosen.
    """

    @checked
    def __init__(
        self,
        canvases: Float[Tensor, "N W W"],
        location: tuple[float, float] = (0.0, 0.0),
        size: int = 12,
        scales: int = 3,
    ):
        count, width = canvases.shape[:2]
        expect(count <= 12, "canvases", canvases, "1 to 12 canvases")
        expect(width <= 96, "canvases", canvases, "canvases of at most 96 x 96 pixels")
        expect(max(map(abs, location)) <= 1, "location", location, "down and across, both from -1 to 1")
        expect(size in SIZES, "size", size, f"one of {', '.join(map(str, SIZES))}")
        expect(1 <= scales <= MOST, "scales", scales, f"a whole number from 1 to {MOST}")
        super().__init__(
            alt=(
                f"A canvas of {width} by {width} pixels with a handwritten digit somewhere among scraps of others, and "
                "squares around one location on it, each twice as wide as the one before. Beside it stands all that a "
                "glimpse at this location hands on, as one picture: sharp in the middle, and coarser in each ring "
                "around it. Below are the crops one by one, each with as many numbers. As the location moves, the "
                "sharp middle moves over the digit, and the coarse rings show where it lies before one gets there."
            ),
            invite=(
                "Drag the squares onto the digit. Which crop shows it first, and in which can you read it? Then hide "
                "the canvas, take another, and find the digit by the crops alone."
            ),
            data={
                "width": width,
                "location": list(location),
                "size": size,
                "scales": scales,
                "sizes": SIZES,
                "most": MOST,
            },
            tensors={"canvases": (canvases * 255).round().byte()},
        )
