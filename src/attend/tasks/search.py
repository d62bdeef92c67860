"""Search for the digit: one handwritten digit of full size on a wide canvas, among pieces of others.

What is charged is the name alone; where the digit stands is known to us and never told. The images are part of MNIST
(LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import interpolate

from attend.core.expect import checked, expect
from attend.tasks.banks import in_batches
from attend.tasks.canvas import cut, lay, overlay
from attend.tasks.clutter import INK
from attend.tasks.crowd import Crowd
from attend.tasks.digits import SPLITS, digits

WIDTH, PIECES = 60, 4
"""A canvas has 60 x 60 pixels and holds four pieces beside its digit, as in Mnih et al. 2014."""

SIDE, PIECE, LEAST = 28, 8, 10
"""A digit has 28 x 28 pixels; a piece is a window of 8 x 8 of another, with 10 pixels of ink or more."""

BANK = 2_048
"""So many canvases are made at a time: it is quicker than one batch after the other."""


@checked
def canvases(split: str, count: int, generator: torch.Generator, pieces: int = PIECES, width: int = WIDTH) -> Crowd:
    """`count` canvases of `width` x `width` pixels, each with one digit of a split and `pieces` pieces of others.

    Digit and pieces stand at random places and may overlap; the darker pixel is seen. Returns `images`, `labels` and
    the digits' `corners`, (row, column) of their first pixel.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    expect(pieces >= 0, "pieces", pieces, "zero or more pieces")
    expect(width >= SIDE, "width", width, f"at least {SIDE} pixels")
    pool, names = digits(split)
    which = torch.randint(len(pool), (count,), generator=generator)
    corners = torch.randint(width - SIDE + 1, (count, 2), generator=generator)
    images = lay(pool[which], corners, width)
    for _ in range(pieces):
        at = torch.randint(width - PIECE + 1, (count, 2), generator=generator)
        others = cut(pool, count, PIECE, INK, LEAST, generator)
        images = overlay(images, others, at)
    return Crowd(images, names[which], corners)


@checked
def batches(size: int, generator: torch.Generator, pieces: int = PIECES, width: int = WIDTH) -> Iterator[Crowd]:
    """Endless new canvases from the training digits. Raises ValueError for a size that does not divide BANK."""
    expect(size > 0 and BANK % size == 0, "size", size, f"a number that divides {BANK}")
    expect(pieces >= 0, "pieces", pieces, "zero or more pieces")
    expect(width >= SIDE, "width", width, f"at least {SIDE} pixels")
    return in_batches(lambda: canvases("train", BANK, generator, pieces, width), size)


@checked
def resized(
    split: str, count: int, generator: torch.Generator, sides: tuple[int, ...], pieces: int = PIECES
) -> tuple[Float[Tensor, "N W W"], Int[Tensor, "N"], Float[Tensor, "N 2"]]:
    """`count` canvases whose digits are one of `sides` pixels wide, each side as often as any other in turn.

    The pieces keep their size. Returns images, labels and the middles of the digits as locations.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    expect(pieces >= 0, "pieces", pieces, "zero or more pieces")
    expect(len(sides) > 0 and all(0 < side <= WIDTH for side in sides), "sides", sides, f"numbers from 1 to {WIDTH}")
    pool, names = digits(split)
    which = torch.randint(len(pool), (count,), generator=generator)
    images, where = torch.zeros(count, WIDTH, WIDTH), torch.zeros(count, 2)
    for k, side in enumerate(sides):
        rows = torch.arange(k, count, len(sides))
        if len(rows) == 0:
            continue
        digit = pool[which[rows]][:, None]
        if side != SIDE:
            digit = interpolate(digit, size=(side, side), mode="bilinear", antialias=True, align_corners=False)
        corners = torch.randint(WIDTH - side + 1, (len(rows), 2), generator=generator)
        images[rows] = lay(digit[:, 0], corners, WIDTH)
        where[rows] = 2 * (corners + side / 2) / WIDTH - 1
    for _ in range(pieces):
        at = torch.randint(WIDTH - PIECE + 1, (count, 2), generator=generator)
        images = overlay(images, cut(pool, count, PIECE, INK, LEAST, generator), at)
    return images, names[which], where


@checked
def middles(corners: Int[Tensor, "N 2"], width: int = WIDTH) -> Float[Tensor, "N 2"]:
    """The middle of each digit as a place (down, across): −1 is the top or left edge of the canvas, 1 the other."""
    expect(width >= SIDE, "width", width, f"at least {SIDE} pixels")
    return 2 * (corners + SIDE / 2) / width - 1


@checked
def distance(places: Float[Tensor, "N T 2"], corners: Int[Tensor, "N 2"], width: int = WIDTH) -> Float[Tensor, "N T"]:
    """How far each of T places lies from the middle of the digit, in pixels."""
    return (places - middles(corners, width)[:, None]).norm(dim=2) * width / 2


def example() -> str:
    """A test canvas and its label, as text: a darker letter where there is more ink, every other row left out."""
    images, labels, corners = canvases("test", 1, torch.Generator().manual_seed(0))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row).rstrip() for row in images[0, ::2].tolist())
    return f"label {labels.item()}, from row {corners[0, 0]}, column {corners[0, 1]} on\n" + "\n".join(rows)
