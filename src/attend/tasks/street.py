"""Street: a photo cut into S windows, of which one shows a sign with a number, and all others leaves.

A thumbnail of the photo shows where a sign may hang, and not what stands on it: a sign has a frame, leaves have none.
The digits are part of MNIST (LeCun et al. 1998); origin and licence stand in data/DATA.md.
"""

from functools import cache
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Plural, Positive
from attend.tasks.canvas import cut, overlay
from attend.tasks.clutter import INK, small
from attend.tasks.digits import digits

SIDE, CELL = 16, 4
"""A window has 16 x 16 pixels; a cell of the thumbnail is the mean of 4 x 4 of them."""
CLASSES = 10
LEAVES = 3_000
"""So many windows of leaves are made for a split, and drawn again and again."""
PIECES, PIECE, LEAST = 6, 6, 10
"""Leaves are six pieces of digits, windows of 6 x 6 pixels with at least 10 of ink, one over the other."""

Split = Literal["train", "validation", "test"]


class Street(NamedTuple):
    """B photos: `thumbnails` (B, S, 16), `windows` (B, S, 256), the `place` of the sign (B) and its `label` (B)."""

    thumbnails: Float[Tensor, "B S 16"]
    windows: Float[Tensor, "B S 256"]
    place: Int[Tensor, "B"]
    label: Int[Tensor, "B"]


class Bank(NamedTuple):
    """N windows, (N, 256), with the N thumbnails of them, (N, 16), and the digits that they show (N)."""

    windows: Float[Tensor, "N 256"]
    thumbnails: Float[Tensor, "N 16"]
    labels: Int[Tensor, "N"]


@checked
@cache
def signs(split: Split) -> Bank:
    """The digits of a split, each in a frame."""
    framed = F.pad(small(split), (1, 1, 1, 1), value=1.0)
    return _bank(framed, digits(split).labels)


@checked
@cache
def leaves(split: Split) -> Bank:
    """LEAVES windows of clutter, the same ones at every call; their label is -1."""
    generator = torch.Generator().manual_seed(0)
    windows = torch.zeros(LEAVES, SIDE, SIDE)
    for _ in range(PIECES):
        pieces = cut(small(split), LEAVES, PIECE, INK, LEAST, generator)
        windows = overlay(windows, pieces, torch.randint(SIDE - PIECE + 1, (LEAVES, 2), generator=generator))
    return _bank(windows, torch.full((LEAVES,), -1))


def _bank(windows: Tensor, labels: Tensor) -> Bank:
    return Bank(windows.flatten(1), F.avg_pool2d(windows[:, None], CELL).flatten(1), labels)


@checked
def sample(
    batch: Positive, windows: Plural = 16, split: Split = "train", generator: torch.Generator | None = None
) -> Street:
    """`batch` new photos of so many windows; the sign may hang in any of them."""
    of, hung = leaves(split), signs(split)
    which = torch.randint(len(of.labels), (batch, windows), generator=generator)
    sign = torch.randint(len(hung.labels), (batch,), generator=generator)
    place = torch.randint(windows, (batch,), generator=generator)
    photos, thumbnails = of.windows[which], of.thumbnails[which]
    at = torch.arange(batch), place
    photos[at], thumbnails[at] = hung.windows[sign], hung.thumbnails[sign]
    return Street(thumbnails, photos, place, hung.labels[sign])


def example() -> str:
    """The first training sign as text, a darker letter where there is more ink, and its label."""
    window, label = signs("train").windows[0].view(SIDE, SIDE).tolist(), signs("train").labels[0]
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row) for row in window)
    return "\n".join([*rows, f"label {label}"])
