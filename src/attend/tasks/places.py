"""Spoken numbers, and where each spoken digit is written: its place from the right, its column from the left.

In "two thousand and forty-five" the word two is written in place 3 (it counts thousands) and column 0 (it comes first),
forty in place 1 and column 2, five in place 0 and column 3. The place depends only on the words that follow, so a
listener who hears the number from its start must wait for it; the column only on the word and on those before it.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.core.types import NonNegative
from attend.tasks.numbers import ENGLISH, english
from attend.tasks.split import known_part, part_of

SHORTEST, LONGEST = 3, 6
"""The numbers have three to six digits, each length equally often, and each number of one length equally often."""
QUESTIONS = ("place", "column")
_SCALES = ("and", "hundred", "thousand")


class Spoken(NamedTuple):
    """Numbers in words: `tokens`, `mask` and `asked` (B, T); for asked words (digits), `place` and `column` (B, T).

    `weight` (B) makes every length count the same, whatever its share of the rows.
    """

    tokens: Int[Tensor, "B T"]
    mask: Bool[Tensor, "B T"]
    asked: Bool[Tensor, "B T"]
    place: Int[Tensor, "B T"]
    column: Int[Tensor, "B T"]
    weight: Float[Tensor, "B"]


@checked
def places(n: int) -> tuple[int, ...]:
    """For each English word of `n` the power of ten that it counts, and -1 for and, hundred and thousand.

    Raises ValueError outside 100 to 999,999.
    """
    expect(10 ** (SHORTEST - 1) <= n < 10**LONGEST, "n", n, "a whole number from 100 to 999,999")
    found, words = [], english(n)
    for i, word in enumerate(words):
        after = words[i + 1 :]
        tens = word.endswith("ty")
        counted = tens + 2 * (after[:1] == ("hundred",)) + 3 * ("thousand" in after)
        found.append(-1 if word in _SCALES else counted)
    return tuple(found)


@checked
def encode(numbers: tuple[int, ...]) -> Spoken:
    """The numbers as tokens of `attend.tasks.numbers.ENGLISH`, in the order in which they are spoken."""
    expect(len(numbers) > 0, "numbers", numbers, "at least one number")
    rows = [[ENGLISH.index(word) for word in english(n)] for n in numbers]
    T, digits = max(map(len, rows)), torch.tensor([len(str(n)) for n in numbers])
    tokens = torch.tensor([row + [0] * (T - len(row)) for row in rows])
    place = torch.tensor([[*places(n), *([-1] * (T - len(row)))] for n, row in zip(numbers, rows, strict=True)])
    mask = torch.arange(T) < torch.tensor([[len(row)] for row in rows])
    column = torch.where(place >= 0, digits[:, None] - 1 - place, -1)
    return Spoken(tokens, mask, place >= 0, place, column, 1 / digits.bincount()[digits].double())


@checked
@cache
def numbers(part: str, most: int = 20_000) -> tuple[int, ...]:
    """The numbers of one part: `most` drawn of each length (all, where there are fewer), split by `part_of`."""
    wanted = known_part(part)
    expect(most > 0, "most", most, "a positive whole number")
    generator, drawn = torch.Generator().manual_seed(0), set()
    for digits in range(SHORTEST, LONGEST + 1):
        low, high = 10 ** (digits - 1), 10**digits
        few = high - low <= most
        drawn.update(range(low, high) if few else torch.randint(low, high, (most,), generator=generator).tolist())
    return tuple(n for n in sorted(drawn) if part_of(str(n)) == wanted)


@checked
def batches(everything: Spoken, B: int, generator: torch.Generator) -> Iterator[Spoken]:
    """Endless batches of B rows, drawn so that every length of number comes equally often."""
    expect(B > 0, "B", B, "a positive whole number")
    return _drawn(everything, B, generator)


def _drawn(everything: Spoken, B: int, generator: torch.Generator) -> Iterator[Spoken]:
    while True:
        rows = torch.multinomial(everything.weight, B, replacement=True, generator=generator)
        T = int(everything.mask[rows].sum(1).max())
        yield Spoken(*(column[rows] if column.ndim == 1 else column[rows, :T] for column in everything))


@checked
def cost(logits: Float[Tensor, "B T V"], answer: Int[Tensor, "B T"], asked: Bool[Tensor, "B T"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a word, over the words that are asked."""
    return cross_entropy(logits[asked], answer[asked])


@checked
def accuracy(logits: Float[Tensor, "B T V"], answer: Int[Tensor, "B T"], spoken: Spoken) -> float:
    """The share of asked words that are right, every length of number counting the same."""
    weight = spoken.weight[:, None] * spoken.asked
    return float(((logits.argmax(-1) == answer) * weight).sum() / weight.sum())


@checked
@cache
def ceiling(question: str, side: str, wait: NonNegative = 0) -> float:
    """The best that can be said of a word when only one side is heard, counted over all 999,900 numbers.

    `side` is "left" (the words up to this one) or "right" (this one and what follows); with `wait`, so many words
    beyond this one are heard too. `question` is "place" or "column". For each different thing that can be heard, the
    best guess is its most frequent answer; the ceiling is the share of words for which it is right.
    """
    expect(question in QUESTIONS, "question", question, f"one of {', '.join(QUESTIONS)}")
    expect(side in ("left", "right"), "side", side, "'left' or 'right'")
    heard, place, digits = _every(side)
    column = np.where(place >= 0, digits[:, None] - 1 - place, -1)
    answer, weight, best = place if question == "place" else column, 10.0 ** (1 - digits), 0.0
    for t, wanted in enumerate(answer.T):
        what, asked = heard[min(t + wait, len(heard) - 1)], wanted >= 0
        counts = np.bincount(what[asked] * LONGEST + wanted[asked], weight[asked], LONGEST * (what.max() + 1))
        best += counts.reshape(-1, LONGEST).max(axis=1).sum()
    return min(1.0, float(best / (weight[:, None] * (answer >= 0)).sum()))


def _numbered(codes: np.ndarray) -> np.ndarray:
    """The same labels as small numbers: equal where the codes are equal, different where they differ."""
    there = np.zeros(codes.max() + 1, dtype=np.int32)
    there[codes] = 1
    return (np.cumsum(there, dtype=np.int32) - 1)[codes]


@cache
def _every(side: str) -> tuple[list[np.ndarray], np.ndarray, np.ndarray]:
    """All numbers as one side hears them: for each step labels of what was heard; places (N, T) or -1; digits (N)."""
    n = np.arange(10 ** (SHORTEST - 1), 10**LONGEST)
    thousands, rest = n // 1000, n % 1000
    below, below_places = _below_a_thousand()
    word = {name: ENGLISH.index(name) + 1 for name in ("and", "thousand")}
    link = np.where((thousands > 0) & (rest > 0) & (rest < 100), word["and"], 0).astype(np.int32)
    scale = np.where(thousands > 0, word["thousand"], 0).astype(np.int32)
    none = np.full((len(n), 2), -1, dtype=np.int32)
    far = below_places[thousands] + 3 * (below_places[thousands] >= 0)
    words = np.concatenate([below[thousands], scale[:, None], link[:, None], below[rest]], axis=1)
    places = np.concatenate([far, none, below_places[rest]], axis=1)
    order = slice(None) if side == "left" else slice(None, None, -1)
    digits = 1 + sum((n >= 10**k).astype(np.int32) for k in range(1, LONGEST))
    words, places = _together(words[:, order], places[:, order])  # a token + 1, or 0 for none
    heard = [np.zeros(len(words), dtype=np.int32)]
    for word in words.T:
        heard.append(_numbered(heard[-1] * (len(ENGLISH) + 1) + word))
    return heard[1:], places, digits


def _below_a_thousand() -> tuple[np.ndarray, np.ndarray]:
    """Words and places of 0 to 999 (1000, 5), where 0 says nothing."""
    words, found = np.zeros((1000, 5), dtype=np.int32), np.full((1000, 5), -1, dtype=np.int32)
    for n in range(1, 1000):
        spoken = english(n)
        words[n, : len(spoken)] = [ENGLISH.index(word) + 1 for word in spoken]
        for i, word in enumerate(spoken):
            if word not in _SCALES:
                found[n, i] = 2 * (spoken[i + 1 : i + 2] == ("hundred",)) + word.endswith("ty")
    return words, found


def _together(words: np.ndarray, answer: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same rows without gaps: every word as far to the left as it can go."""
    spoken = words > 0
    row, _ = spoken.nonzero()
    to = row, (np.cumsum(spoken, axis=1) - 1)[spoken]
    moved, moved_answer = np.zeros_like(words), np.full_like(answer, -1)
    moved[to], moved_answer[to] = words[spoken], answer[spoken]
    T = int(spoken.sum(axis=1).max())
    return moved[:, :T], moved_answer[:, :T]
