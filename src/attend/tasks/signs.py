"""Signs: somewhere on a canvas stands a speed limit, 30, 60 or 70, as its first digit; the rest is scraps or empty.

What is charged is the limit alone; where the digit stands is known to us and never told. The digits are part of MNIST
(LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import interpolate

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive
from attend.tasks.canvas import cut, lay, overlay
from attend.tasks.clutter import INK, SMALL, small
from attend.tasks.digits import SPLITS, digits

LIMITS = (3, 6, 7)
"""The digits that occur: 30, 60 and 70. Labels are their numbers in this row."""

WIDTH, PIECES = 32, 2
"""A canvas has 32 x 32 pixels, unless it is asked to be wider, and holds two scraps beside its digit of 14 x 14."""

PIECE, LEAST = 6, 8
"""A scrap is a window of 6 x 6 pixels of another digit, with 8 pixels of ink or more."""


class Signs(NamedTuple):
    """`images` (N, W, W) in [0, 1], 1 where there is ink; `labels` (N), numbers in LIMITS; `middles` (N, 2).

    A middle is that of the digit, as a location (down, across): −1 is the top or left edge of the canvas, 1 the other.
    """

    images: Float[Tensor, "N W W"]
    labels: Int[Tensor, "N"]
    middles: Float[Tensor, "N 2"]


@checked
@cache
def pool(split: str) -> tuple[Float[Tensor, "M 14 14"], Int[Tensor, "M"]]:
    """The digits of a split that are limits, and their labels. Raises ValueError for an unknown split."""
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    labels = digits(split).labels
    which = (labels[:, None] == torch.tensor(LIMITS)).nonzero()  # (M, 2): a row of the split, a label
    return small(split)[which[:, 0]], which[:, 1]


@checked
def canvases(
    split: str,
    count: Positive,
    width: Positive = WIDTH,
    side: Positive = SMALL,
    pieces: NonNegative = PIECES,
    generator: torch.Generator | None = None,
) -> Signs:
    """`count` canvases of `width` x `width` pixels: a digit, `side` pixels wide, and `pieces` scraps of other digits.

    Digit and scraps stand at random places. Where a scrap would cover ink of the digit it is left out. Raises
    ValueError for a digit that is wider than the canvas, or a canvas that is smaller than a scrap.
    """
    shapes, labels = pool(split)
    expect(max(side, PIECE) <= width, "width", width, f"at least {max(side, PIECE)} pixels")
    which = torch.randint(len(labels), (count,), generator=generator)
    digit = shapes[which]
    if side != SMALL:
        resized = interpolate(digit[:, None], size=(side, side), mode="bilinear", antialias=True, align_corners=False)
        digit = resized[:, 0].clamp(0, 1)
    corners = torch.randint(width - side + 1, (count, 2), generator=generator)
    alone = lay(digit, corners, width)
    scraps = torch.zeros_like(alone)
    for _ in range(pieces):
        at = torch.randint(width - PIECE + 1, (count, 2), generator=generator)
        scraps = overlay(scraps, cut(small(split), count, PIECE, INK, LEAST, generator or torch.default_generator), at)
    images = torch.maximum(alone, scraps * (alone < INK))
    return Signs(images, labels[which], 2 * (corners + side / 2) / width - 1)


@checked
def distance(
    locations: Float[Tensor, "N T 2"], middles: Float[Tensor, "N 2"], width: Positive = WIDTH
) -> Float[Tensor, "N T"]:
    """How far each of T locations lies from the middle of the digit, in pixels."""
    return (locations - middles[:, None]).norm(dim=2) * width / 2


def example() -> str:
    """A test canvas and its limit as text: a darker letter where there is more ink, every other row left out."""
    images, labels, _ = canvases("test", 1, generator=torch.Generator().manual_seed(0))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row).rstrip() for row in images[0, ::2].tolist())
    return f"limit {10 * LIMITS[labels.item()]}\n" + "\n".join(rows)
