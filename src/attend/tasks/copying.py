"""Copying: letters come, and the same letters are to be written in the same order, and then an end.

The right place of each letter follows from the step alone, unless there are gaps between the letters that are read.
"""

import torch
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Seed
from attend.tasks.pairs import Pairs

END = 0
"""The token that ends every copy; the letters are the tokens from 1 on."""


@checked
def sample(
    batch: int,
    shortest: int,
    longest: int,
    letters: int = 10,
    generator: torch.Generator | None = None,
) -> Pairs:
    """`batch` rows of `shortest` to `longest` letters out of `letters`, lengths equally likely, and their copies."""
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


@checked
def with_gaps(pairs: Pairs, places: int, generator: torch.Generator | None = None) -> Pairs:
    """The letters of each row, in their order, at places drawn out of `places`; between them stand blanks, token END.

    What is to be written stays. Raises ValueError where a row has more letters than there are places.
    """
    B, S = pairs.source.shape
    expect(places >= S, "places", places, f"at least one for each of S = {S} letters")
    drawn = torch.rand(B, places, generator=generator).argsort(1)[:, :S]
    at = drawn.masked_fill(~pairs.mask, places).sort(1).values
    source = torch.zeros(B, places + 1, dtype=torch.long).scatter_(1, at, pairs.source)[:, :places]
    return pairs._replace(source=source, mask=torch.ones_like(source, dtype=torch.bool))


def _copied(rows: Tensor, mask: Tensor) -> Pairs:
    rows = rows.where(mask, END)
    target = torch.cat([rows, torch.zeros_like(rows[:, :1])], dim=1)
    return Pairs(rows, mask, target, torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1))


@checked
def example(length: int = 4, seed: Seed = 0) -> str:
    """One row to read, with its copy: `c e b b → c e b b .`"""
    expect(length > 0, "length", length, "a positive whole number")
    row = sample(1, length, length, generator=torch.Generator().manual_seed(seed)).source[0]
    said = " ".join(chr(ord("a") + letter - 1) for letter in row.tolist())
    return f"{said} → {said} ."
