"""Handwritten digits: 10,000 real ones in a fixed split, moved about, and set on larger canvases.

The images are part of MNIST (LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks import data
from attend.tasks.banks import shuffled

DATA = ("tasks/data/digits.npz",)
SPLITS = {"train": (0, 7_500), "validation": (7_500, 8_500), "test": (8_500, 10_000)}
"""Which rows of the file a split holds; the file is in random order."""


class Digits(NamedTuple):
    """`images` (N, Y, X), float in [0, 1], 1 where there is ink; `labels` (N), whole numbers from 0 to 9."""

    images: Float[Tensor, "N Y X"]
    labels: Int[Tensor, "N"]


@checked
def digits(split: str = "train") -> Digits:
    """The digits of a split, "train" (7,500), "validation" (1,000) or "test" (1,500): images of 28 x 28, and labels.

    Raises ValueError for another word, attend.tasks.data.DamagedData when the file was changed.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    return Digits(*data.images("digits.npz", SPLITS[split]))


@checked
def shift(images: Float[Tensor, "N Y X"], down: int, right: int) -> Float[Tensor, "N Y X"]:
    """Images moved by whole pixels (a negative number moves up or left); what leaves the frame is lost.

    Raises ValueError for a move that leaves nothing in the frame.
    """
    height, width = images.shape[1:]
    expect(abs(down) < height, "down", down, f"less than {height} pixels either way")
    expect(abs(right) < width, "right", right, f"less than {width} pixels either way")
    moved = torch.zeros_like(images)
    to_y, from_y = _overlap(height, down)
    to_x, from_x = _overlap(width, right)
    moved[:, to_y, to_x] = images[:, from_y, from_x]
    return moved


def _overlap(length: int, by: int) -> tuple[slice, slice]:
    """Where the moved pixels land, and where they come from."""
    return slice(max(by, 0), length + min(by, 0)), slice(max(-by, 0), length - max(by, 0))


@checked
def shifts(images: Float[Tensor, "N Y X"], pixels: int) -> Float[Tensor, "E N Y X"]:
    """The images moved by `pixels` in each of the eight directions, straight and diagonal (E = 8), or left (E = 1)."""
    expect(pixels >= 0, "pixels", pixels, "zero or more pixels")
    ways = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0)] if pixels else [(0, 0)]
    return torch.stack([shift(images, pixels * y, pixels * x) for y, x in ways])


@checked
def place(
    images: Float[Tensor, "N Y X"], width: int = 60, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "N W W"], Int[Tensor, "N 2"]]:
    """Each image at a random place of an empty canvas: canvases (N, width, width) and (row, column) of its corner.

    Raises ValueError for a canvas smaller than the images.
    """
    count, height, across = images.shape
    expect(width >= max(height, across), "width", width, f"at least {max(height, across)} pixels")
    rows = torch.randint(width - height + 1, (count,), generator=generator)
    columns = torch.randint(width - across + 1, (count,), generator=generator)
    canvases = images.new_zeros(count, width, width)
    for canvas, image, row, column in zip(canvases, images, rows.tolist(), columns.tolist(), strict=True):
        canvas[row : row + height, column : column + across] = image
    return canvases, torch.stack([rows, columns], dim=1)


@checked
def batches(of: Digits, size: int, generator: torch.Generator) -> Iterator[Digits]:
    """Endless batches: every image once, in a new random order each round; a last part of a batch is left out.

    Raises ValueError for a size below 1 or above the number of images.
    """
    expect(0 < size <= len(of.labels), "size", size, f"between 1 and {len(of.labels)}")
    return shuffled(of, size, generator)


@checked
def cost(scores: Float[Tensor, "N K"], labels: Int[Tensor, "N"]) -> Float[Tensor, ""]:
    """The mean surprise at the true label, in nats an image, of class scores that are log-odds."""
    return cross_entropy(scores, labels)


@checked
def accuracy(scores: Float[Tensor, "N K"], labels: Int[Tensor, "N"]) -> float:
    """The share of images whose largest score is that of the true label."""
    return (scores.argmax(dim=1) == labels).double().mean().item()


def example() -> str:
    """The first training image and its label, as text: a darker letter where there is more ink."""
    image, label = (part[0] for part in digits("train"))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row) for row in image[4:24].tolist())
    return f"label {label}\n" + "\n".join(row.rstrip() for row in rows)
