"""Copying: letters come, and the same letters are to be written in the same order, and then an end.

The right place of every written letter is known: it is the place where it stands.
"""

import torch
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.pairs import Pairs

END = 0
"""The token that ends every copy; the letters are the tokens from 1 on."""


@checked
def sample(
    batch: int, shortest: int, longest: int, letters: int = 10, generator: torch.Generator | None = None
) -> Pairs:
    """`batch` rows of `shortest` to `longest` letters out of `letters`, every length equally likely, and their copies."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(shortest > 0, "shortest", shortest, "a positive whole number")
    expect(longest >= shortest, "longest", longest, f"at least as much as shortest = {shortest}")
    expect(letters > 0, "letters", letters, "a positive whole number")
    lengths = torch.randint(shortest, longest + 1, (batch, 1), generator=generator)
    rows = torch.randint(1, letters + 1, (batch, longest), generator=generator)
    return _copied(rows, torch.arange(longest) < lengths)


@checked
def copied(rows: tuple[tuple[int, ...], ...]) -> Pairs:
    """Given rows of letters, tokens of 1 or more, and their copies."""
    expect(len(rows) > 0 and all(rows), "rows", rows, "at least one row, and none of them empty")
    expect(all(letter > END for row in rows for letter in row), "rows", rows, "letters, tokens of 1 or more")
    longest = max(map(len, rows))
    table = torch.tensor([[*row, *[END] * (longest - len(row))] for row in rows])
    return _copied(table, table != END)


def _copied(rows: Tensor, visible: Tensor) -> Pairs:
    rows = rows.where(visible, END)
    once_more = torch.ones_like(visible[:, :1])
    target = torch.cat([rows, torch.zeros_like(rows[:, :1])], dim=1)
    return Pairs(rows, visible, target, torch.cat([once_more, visible], dim=1))


@checked
def example(length: int = 4, seed: int = 0) -> str:
    """One row to read, with its copy: `c e b b → c e b b .`"""
    row = sample(1, length, length, generator=torch.Generator().manual_seed(seed)).source[0]
    said = " ".join(chr(ord("a") + letter - 1) for letter in row.tolist())
    return f"{said} → {said} ."
