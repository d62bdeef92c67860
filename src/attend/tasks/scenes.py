"""Say what stands where: two things on a grid of 3 x 3 cells, among scraps, and a caption of five words.

Things are handwritten digits and pictures of clothes. They share a row or a column. The caption names the upper one or
the left one first: "a seven above a coat", "a bag beside an eight". Scraps are cut from other things and have no name.
What is charged is the caption alone; where the named things stand is known to us and never told.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.tasks.banks import in_batches
from attend.tasks.canvas import cut, lay
from attend.tasks.clothes import KINDS, clothes
from attend.tasks.clutter import INK, SMALL, small
from attend.tasks.digits import SPLITS, digits

SIDE, CELL = 3, 16
"""A scene has 3 x 3 cells of 16 x 16 pixels; a thing of 14 x 14 pixels stands anywhere in its cell."""

PIECE, LEAST = 6, 8
"""A scrap is a window of 6 x 6 pixels of a thing, with 8 pixels of ink or more."""

THINGS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", *KINDS)
NOTHING = len(THINGS)
"""The label of a cell without a thing, where cells are labelled."""

WORDS = (".", "a", "an", "above", "beside", *THINGS)
"""The vocabulary. The full stop ends every caption, and stands for what is before its first word."""

END, LENGTH = 0, 6
"""Every caption has five words and a full stop."""

NOWHERE = -1
"""The cell of a word that names no thing."""

PAIRS = [(i, j) for i in range(9) for j in range(i + 1, 9) if i // 3 == j // 3 or i % 3 == j % 3]
"""The 18 pairs of cells that share a row or a column, the upper or left one first; cells are counted row by row."""

BANK = 2_048
"""So many scenes are made at a time: it is quicker than one batch after the other."""


class Scenes(NamedTuple):
    """Images with captions, and where each thing stands that a caption names.

    `images` (N, 48, 48) in [0, 1], `captions` (N, 6), numbers of WORDS, and for each word that names a thing its cell,
    0 to 8 (`cells` (N, 6), NOWHERE for the other words).
    """

    images: Float[Tensor, "N Y X"]
    captions: Int[Tensor, "N T"]
    cells: Int[Tensor, "N T"]


@checked
def scenes(split: str, count: int, generator: torch.Generator, scraps: int = 3) -> Scenes:
    """`count` scenes from the images of a split, each with two things and `scraps` scraps, every one in its own cell.

    A thing is a digit or a piece of clothing with equal chances.
    """
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    expect(0 <= scraps <= 7, "scraps", scraps, "0 to 7, one for each cell that is left")
    pairs = torch.tensor(PAIRS)[torch.randint(len(PAIRS), (count,), generator=generator)]
    images, names = _things(split)
    which = _drawn(split, count, generator)
    canvas = torch.zeros(count, SIDE * CELL, SIDE * CELL)
    for one in (0, 1):
        canvas += lay(images[which[:, one]], _inside(pairs[:, one], SMALL, generator), SIDE * CELL)
    taken = torch.zeros(count, 9).scatter(1, pairs, 2.0)
    free = (torch.rand(count, 9, generator=generator) + taken).argsort(dim=1)
    for cell in free[:, :scraps].unbind(1):
        pieces = cut(images, count, PIECE, INK, LEAST, generator)
        canvas += lay(pieces, _inside(cell, PIECE, generator), SIDE * CELL)
    return Scenes(canvas, _captions(names[which], pairs), _cells(pairs))


@cache
def _things(split: str) -> tuple[Tensor, Tensor]:
    """All images of a split (M, 14, 14), digits first, and what they are called (M), numbers of THINGS."""
    images = torch.cat([small(split), clothes(split).images])
    return images, torch.cat([digits(split).labels, 10 + clothes(split).labels])


def _drawn(split: str, count: int, generator: torch.Generator) -> Tensor:
    """Rows of `_things` (count, 2), a digit or a piece of clothing with equal chances."""
    written, worn = len(small(split)), len(clothes(split).labels)
    digit = torch.randint(written, (count, 2), generator=generator)
    garment = written + torch.randint(worn, (count, 2), generator=generator)
    return torch.where(torch.rand(count, 2, generator=generator) < 0.5, digit, garment)


def _inside(cells: Tensor, size: int, generator: torch.Generator) -> Tensor:
    """Corners (N, 2) at random in each cell, so that something of `size` x `size` pixels does not leave it."""
    first = torch.stack([cells // SIDE, cells % SIDE], dim=1) * CELL
    return first + torch.randint(CELL - size + 1, first.shape, generator=generator)


def _captions(names: Tensor, pairs: Tensor) -> Tensor:
    """Article, name, relation, article, name, full stop: (N, 6)."""
    article = torch.where(names == THINGS.index("eight"), WORDS.index("an"), WORDS.index("a"))
    column = pairs[:, 0] % SIDE == pairs[:, 1] % SIDE
    relation = torch.where(column, WORDS.index("above"), WORDS.index("beside"))
    noun = names + WORDS.index(THINGS[0])
    words = (article[:, 0], noun[:, 0], relation, article[:, 1], noun[:, 1], torch.full_like(relation, END))
    return torch.stack(words, dim=1)


def _cells(pairs: Tensor) -> Tensor:
    cells = pairs.new_full((len(pairs), LENGTH), NOWHERE)
    cells[:, 1], cells[:, 4] = pairs[:, 0], pairs[:, 1]
    return cells


class Sheets(NamedTuple):
    """Full grids, with what stands in each cell.

    `images` (N, 48, 48) in [0, 1], `labels` (N, 9), numbers of THINGS, or NOTHING for a scrap or an empty cell.
    """

    images: Float[Tensor, "N Y X"]
    labels: Int[Tensor, "N S"]


@checked
def sheets(split: str, count: int, generator: torch.Generator) -> Sheets:
    """Grids for learning what things look like: in each cell a thing (two times of three), a scrap or nothing."""
    expect(split in SPLITS, "split", split, f"one of {', '.join(SPLITS)}")
    expect(count > 0, "count", count, "a positive whole number")
    images, names = _things(split)
    canvas, labels = torch.zeros(count, SIDE * CELL, SIDE * CELL), []
    for cell in range(SIDE**2):
        at, chance = torch.full((count,), cell), torch.rand(count, 1, 1, generator=generator)
        which = _drawn(split, count, generator)[:, 0]
        pieces = cut(images, count, PIECE, INK, LEAST, generator) * (chance < 5 / 6)
        things = images[which] * (chance < 2 / 3)
        canvas += lay(things, _inside(at, SMALL, generator), SIDE * CELL)
        canvas += lay(pieces * (chance >= 2 / 3), _inside(at, PIECE, generator), SIDE * CELL)
        labels.append(torch.where(chance[:, 0, 0] < 2 / 3, names[which], NOTHING))
    return Sheets(canvas, torch.stack(labels, dim=1))


@checked
def sheet_batches(size: int, generator: torch.Generator) -> Iterator[Sheets]:
    """Endless new sheets from the training images, `size` at a time."""
    expect(size > 0, "size", size, "a positive whole number")
    return in_batches(lambda: sheets("train", 16 * size, generator), size)


@checked
def batches(size: int, generator: torch.Generator) -> Iterator[Scenes]:
    """Endless new scenes from the training images. Raises ValueError for a size that does not divide BANK."""
    expect(size > 0 and BANK % size == 0, "size", size, f"a number that divides {BANK}")
    return in_batches(lambda: scenes("train", BANK, generator), size)


@checked
def cost(logits: Float[Tensor, "N T V"], captions: Int[Tensor, "N T"]) -> Float[Tensor, ""]:
    """The mean surprise at the true word, in nats a word."""
    return cross_entropy(logits.flatten(0, 1), captions.flatten())


@checked
def exact(written: Int[Tensor, "N T"], captions: Int[Tensor, "N T"]) -> Bool[Tensor, "N"]:
    """Which captions are right in every word."""
    return (written == captions).all(dim=1)


@checked
def found(weights: Float[Tensor, "N T S"], cells: Int[Tensor, "N T"]) -> Float[Tensor, "_"]:
    """How much of each look was on the cell of the thing that the word names, for all words that name one.

    The S places are the cells. Raises ValueError for a cell that is none of them, and where no word names a thing.
    """
    inside = bool((cells >= NOWHERE).all()) and bool((cells < weights.shape[2]).all())
    expect(inside and bool((cells >= 0).any()), "cells", cells, f"cells from 0 to {weights.shape[2] - 1}, or NOWHERE")
    named = cells >= 0
    return weights[named].gather(1, cells[named][:, None]).squeeze(1)


@checked
def spell(caption: Int[Tensor, "T"]) -> str:
    """A caption to read, up to its full stop."""
    words = [WORDS[word] for word in caption.tolist()]
    return " ".join(words[: words.index(".") if "." in words else None])


def example() -> str:
    """A test scene under its caption, as text: a darker letter where there is more ink."""
    images, captions, _ = scenes("test", 1, torch.Generator().manual_seed(0))
    rows = ("".join(" .:*#"[int(4 * ink)] for ink in row).rstrip() for row in images[0].tolist())
    return f"{spell(captions[0])}\n" + "\n".join(rows)
