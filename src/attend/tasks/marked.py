"""Marked places: each place bears a mark and a letter; which letter stands where the asked mark is?"""

from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Seed

MARKS, LETTERS = 12, 6


class Places(NamedTuple):
    """`marks` (B, S) and `letters` (B, S) of all places; the mark that is `asked` for (B), and the `answer` (B)."""

    marks: Int[Tensor, "B S"]
    letters: Int[Tensor, "B S"]
    asked: Int[Tensor, "B"]
    answer: Int[Tensor, "B"]


@checked
def sample(batch: int, S: int = 8, bearers: int = 1, generator: torch.Generator | None = None) -> Places:
    """`batch` examples of S places, of which `bearers` bear the asked mark; all other marks and letters are chance.

    The answer is the letter of most bearers: of three, two have it and one has another, so that no single place tells
    it for sure. Raises ValueError unless `bearers` is odd and at most S.
    """
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(S > 0, "S", S, "a positive whole number")
    expect(bearers % 2 == 1 and 0 < bearers <= S, "bearers", bearers, f"an odd number from 1 to S = {S}")
    asked = torch.randint(MARKS, (batch, 1), generator=generator)
    answer = torch.randint(LETTERS, (batch, 1), generator=generator)
    turn = torch.rand(batch, S, generator=generator).argsort(dim=1)  # who bears the mark, and who of them is right
    other_mark = (asked + torch.randint(1, MARKS, (batch, S), generator=generator)) % MARKS
    other_letter = (answer + torch.randint(1, LETTERS, (batch, S), generator=generator)) % LETTERS
    any_letter = torch.randint(LETTERS, (batch, S), generator=generator)
    marks = torch.where(turn < bearers, asked, other_mark)
    letters = torch.where(turn < bearers, other_letter, any_letter)
    letters = torch.where(turn <= bearers // 2, answer, letters)
    return Places(marks, letters, asked[:, 0], answer[:, 0])


@checked
def example(S: int = 5, bearers: int = 1, seed: Seed = 0) -> str:
    """One example to read, a mark and a letter for each place, with its question and answer."""
    places = sample(1, S, bearers, torch.Generator().manual_seed(seed))
    shown = [
        f"{mark}{_letter(of)}" for mark, of in zip(places.marks[0].tolist(), places.letters[0].tolist(), strict=True)
    ]
    return f"{' '.join(shown)} | {places.asked.item()}? → {_letter(int(places.answer))}"


def _letter(number: int) -> str:
    return "ABCDEF"[number]
