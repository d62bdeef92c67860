"""Name the digit in the crowd: a small digit somewhere on a canvas, among pieces of other digits of the same stroke.

What is charged is the name alone; where the digit stands is known to us and never told. The images are part of MNIST
(LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.banks import in_batches
from attend.tasks.canvas import cut, lay, overlay
from attend.tasks.clutter import INK, SMALL, small
from attend.tasks.digits import SPLITS, digits

WIDTH, PIECES = 36, 4
"""A canvas has 36 x 36 pixels and holds four pieces beside its digit."""

PIECE, LEAST = 6, 8
"""A piece is a window of 6 x 6 pixels of another digit, with 8 pixels of ink or more."""

MARK = 4
"""A mark is the outline of a square of 4 x 4 pixels, in full ink."""

BANK = 2_048
"""So many canvases are made at a time: it is quicker than one batch after the other."""


class Crowd(NamedTuple):
    """Canvases `images` (N, Y, X) in [0, 1], the digits' names `labels` (N), and where their 14 x 14 pixels begin.

    `corners` (N, 2) holds row and column.
    """

    images: Float[Tensor, "N Y X"]
    labels: Int[Tensor, "N"]
    corners: Int[Tensor, "N 2"]


@checked
def canvases(split: str, count: int, generator: torch.Generator, pieces: int = PIECES, width: int = WIDTH) -> Crowd:
    """`count` canvases of `width` x `width` pixels, each with one digit of a split and `pieces` pieces of others.

    Digit and pieces stand at random places and may touch; where a piece would cover ink of the digit, it is left out.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    expect(pieces >= 0, "pieces", pieces, "zero or more pieces")
    expect(width >= SMALL, "width", width, f"at least {SMALL} pixels")
    pool, names = small(split), digits(split).labels
    which = torch.randint(len(pool), (count,), generator=generator)
    corners = torch.randint(width - SMALL + 1, (count, 2), generator=generator)
    digit = lay(pool[which], corners, width)
    others = torch.zeros_like(digit)
    for _ in range(pieces):
        at = torch.randint(width - PIECE + 1, (count, 2), generator=generator)
        others = torch.maximum(others, lay(cuttings(split, count, generator), at, width))
    return Crowd(torch.maximum(digit, others * (digit < INK)), names[which], corners)


@checked
def cuttings(split: str, count: int, generator: torch.Generator) -> Float[Tensor, "N 6 6"]:
    """`count` pieces: windows cut at random from the digits of a split, all with enough ink in them."""
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    return cut(small(split), count, PIECE, INK, LEAST, generator)


@checked
def batches(size: int, generator: torch.Generator) -> Iterator[Crowd]:
    """Endless new canvases from the training digits. Raises ValueError for a size that does not divide BANK."""
    expect(size > 0 and BANK % size == 0, "size", size, f"a number that divides {BANK}")
    return in_batches(lambda: canvases("train", BANK, generator), size)


@checked
def boxes(corners: Int[Tensor, "N 2"], width: int = WIDTH) -> Float[Tensor, "N Y X"]:
    """A mask for each canvas: 1 in the digit's 14 x 14 pixels, 0 elsewhere. Raises ValueError for a box outside."""
    inside = bool((corners >= 0).all() and (corners <= width - SMALL).all())
    expect(inside, "corners", corners, f"rows and columns from 0 to {width - SMALL}")
    return lay(torch.ones(len(corners), SMALL, SMALL), corners, width)


def mark() -> Float[Tensor, "Y X"]:
    """The mark by itself: the outline of a square."""
    outline = torch.ones(MARK, MARK)
    outline[1:-1, 1:-1] = 0
    return outline


@checked
def marked(of: Crowd, which: Bool[Tensor, "N"], generator: torch.Generator) -> tuple[Crowd, Int[Tensor, "N 2"]]:
    """The canvases with a mark on those of `which`, beside the digit's 14 x 14 pixels, and where each mark begins.

    The corners (row, column) are those that a mark has or would have.
    """
    width = of.images.shape[1]
    expect(width >= SMALL + MARK, "of", of.images, f"canvases of at least {SMALL + MARK} pixels")
    corners, beside = torch.zeros_like(of.corners), torch.zeros(len(of.images), dtype=torch.bool)
    while not bool(beside.all()):
        tried = torch.randint(width - MARK + 1, corners.shape, generator=generator)
        corners = torch.where(beside[:, None], corners, tried)
        apart = corners - of.corners
        beside = ((apart <= -MARK) | (apart >= SMALL)).any(dim=1)
    marks = mark().expand(len(corners), MARK, MARK) * which[:, None, None]
    return of._replace(images=overlay(of.images, marks, corners)), corners


def example() -> str:
    """A test canvas and its label, as text: a darker letter where there is more ink."""
    images, labels, corners = canvases("test", 1, torch.Generator().manual_seed(0))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row).rstrip() for row in images[0].tolist())
    return f"label {labels.item()}, from row {corners[0, 0]}, column {corners[0, 1]} on\n" + "\n".join(rows)
