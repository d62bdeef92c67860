"""Neighbours: a row of letters; each step must say which letters stand at given offsets from it, in their order."""

from collections.abc import Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Seed

LETTERS = 10
BESIDE = (-1, 1)
"""The letter before and the letter after."""
AROUND = (-2, -1, 1, 2)
"""Two letters before and two after."""


@checked
def sample(batch: int, T: int, generator: torch.Generator | None = None) -> Int[Tensor, "{batch} {T}"]:
    """`batch` rows of T letters, each by itself and all equally likely."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(T > 0, "T", T, "a positive whole number")
    return torch.randint(LETTERS, (batch, T), generator=generator)


@checked
def inner(T: int, offsets: Sequence[int] = BESIDE) -> slice:
    """The steps of a row of T letters at which there is a letter at each of the `offsets`.

    Raises ValueError when there is none.
    """
    expect(len(offsets) > 0, "offsets", offsets, "at least one offset")
    before, after = max(0, -min(offsets)), max(0, *offsets)
    expect(before + after < T, "T", T, f"more than {before + after} letters")
    return slice(before, T - after)


@checked
def answers(letters: Int[Tensor, "B T"], offsets: Sequence[int] = BESIDE) -> Int[Tensor, "B U O"]:
    """What the inner steps must say: the letter at each of the O `offsets`."""
    T = letters.shape[1]
    steps = torch.arange(T)[inner(T, offsets)]
    return letters[:, steps[:, None] + torch.tensor(tuple(offsets))]


@checked
def example(T: int = 6, offsets: Sequence[int] = BESIDE, seed: Seed = 0) -> str:
    """One row to read, with what its inner steps must say: `e j d a → (e d) (j a)`."""
    letters = sample(1, T, torch.Generator().manual_seed(seed))
    said = (f"({_spell(answer)})" for answer in answers(letters, offsets)[0].tolist())
    return f"{_spell(letters[0].tolist())} → {' '.join(said)}"


def _spell(letters: Sequence[int]) -> str:
    return " ".join(chr(ord("a") + letter) for letter in letters)
