"""Batches without end: from one bank of new examples after the other, or the same examples in ever new orders."""

from collections.abc import Callable, Iterator

import torch

from attend.core.expect import checked, expect


@checked
def in_batches(draw: Callable, size: int) -> Iterator:
    """Endless batches of `size` examples; `draw()` makes a new bank, a named tuple of tensors with a row for each.

    Raises ValueError for a size that is not positive.
    """
    expect(size > 0, "size", size, "a positive whole number")
    return _endless(draw, size)


@checked
def shuffled(of: tuple, size: int, generator: torch.Generator) -> Iterator:
    """Endless batches of `size` examples of a named tuple of tensors: each once a round, in a new order every time.

    What is left over at the end of a round is left out. Raises ValueError for a size that is not 1 to their number.
    """
    expect(0 < size <= len(of[0]), "size", size, f"1 to {len(of[0])}")
    return _rounds(of, size, generator)


def _endless(draw: Callable, size: int) -> Iterator:
    while True:
        bank = draw()
        yield from map(type(bank)._make, zip(*(part.split(size) for part in bank), strict=True))


def _rounds(of: tuple, size: int, generator: torch.Generator) -> Iterator:
    while True:
        order = torch.randperm(len(of[0]), generator=generator)
        for rows in order[: len(order) // size * size].view(-1, size):
            yield type(of)(*(column[rows] for column in of))
