"""Find the digit: a small handwritten digit on a canvas, among pieces of other digits of the same stroke.

The images are part of MNIST (LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import avg_pool2d, cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.canvas import lay
from attend.tasks.digits import SPLITS, digits

CLASSES = ("digit", "clutter", "background")
"""What a pixel may be, by number."""

INK = 0.25
"""From this darkness on a pixel is ink; below it, it is background."""

SMALL, PIECE = 14, 6
"""Digits are halved to 14 x 14 pixels; a piece of clutter is a window of 6 x 6 cut from one."""


class Canvases(NamedTuple):
    """`images` (N, Y, X), float in [0, 1], 1 where there is ink; `labels` (N, Y, X), numbers of CLASSES."""

    images: Float[Tensor, "N Y X"]
    labels: Int[Tensor, "N Y X"]


@checked
@cache
def small(split: str = "train") -> Float[Tensor, "N Y X"]:
    """The digits of a split at half their size, (N, 14, 14), in [0, 1]."""
    return avg_pool2d(digits(split).images[:, None], 2).squeeze(1)


@checked
def canvases(split: str, count: int, generator: torch.Generator, pieces: int = 5, width: int = 30) -> Canvases:
    """`count` canvases of `width` x `width` pixels, each with one digit of a split and `pieces` pieces of others.

    A piece is cut at random from another digit of the same split, and holds at least 6 pixels of ink. Where a piece
    would cover ink of the digit, it is left out, pixel by pixel; the strokes may touch.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    expect(pieces >= 0, "pieces", pieces, "zero or more pieces")
    expect(width >= SMALL, "width", width, f"at least {SMALL} pixels")
    pool = small(split)
    which = torch.randint(len(pool), (count,), generator=generator)
    digit = _at_random(pool[which], width, generator)
    clutter = torch.zeros_like(digit)
    for _ in range(pieces):
        clutter = torch.maximum(clutter, _at_random(_pieces(pool, count, generator), width, generator))
    clutter = clutter * (digit < INK)
    images = torch.maximum(digit, clutter)
    labels = torch.where(digit >= INK, 0, torch.where(clutter >= INK, 1, 2))
    return Canvases(images, labels)


def _pieces(pool: Tensor, count: int, generator: torch.Generator) -> Tensor:
    """Windows of PIECE x PIECE pixels of digits, with 6 pixels of ink or more."""
    found = pool.new_zeros(0, PIECE, PIECE)
    while len(found) < count:
        which = torch.randint(len(pool), (2 * count,), generator=generator)
        corner = torch.randint(SMALL - PIECE + 1, (2, 2 * count, 1), generator=generator)
        rows, columns = corner + torch.arange(PIECE)
        cut = pool[which[:, None, None], rows[:, :, None], columns[:, None, :]]
        found = torch.cat((found, cut[(cut >= INK).sum((1, 2)) >= 6]))
    return found[:count]


def _at_random(images: Tensor, width: int, generator: torch.Generator) -> Tensor:
    """Each image at a random place of an empty canvas."""
    count, side, _ = images.shape
    return lay(images, torch.randint(width - side + 1, (2, count), generator=generator).T, width)


@checked
def cost(scores: Float[Tensor, "N Y X C"], labels: Int[Tensor, "N Y X"]) -> Float[Tensor, ""]:
    """The mean surprise at the true label, in nats: over the pixels of ink, plus over those of paper.

    There is ten times as much paper as ink, so a mean over all pixels would hardly ask what the ink is. Raises
    ValueError for a label that is no class.
    """
    known = bool((labels >= 0).all() and (labels < scores.shape[-1]).all())
    expect(known, "labels", labels, f"whole numbers from 0 to {scores.shape[-1] - 1}")
    each = cross_entropy(scores.flatten(0, 2), labels.flatten(), reduction="none")
    ink = labels.flatten() < 2
    return each[ink].sum() / ink.sum().clamp(min=1) + each[~ink].sum() / (~ink).sum().clamp(min=1)


@checked
def f1(guess: Int[Tensor, "N Y X"], labels: Int[Tensor, "N Y X"]) -> float:
    """How well the pixels of the digit are found: 2·hits / (pixels named "digit" + pixels that are)."""
    named, true = guess == 0, labels == 0
    return 2 * int((named & true).sum()) / max(int(named.sum() + true.sum()), 1)
