"""Cards: one row of cards, three questions about it; each needs another kind of looking.

A row is 16 cards, each of the 16 letters once, each red or black by the toss of a coin; then a joker that names one
of the letters and has no colour.

pattern  do red, black, black, red follow each other anywhere?
lift     a lift in a house of four floors starts on the second. Every red card takes it up, every black one down, where
         there is a floor. Does it end in the upper half?
match    is the card whose letter the joker names red?
"""

from typing import Literal, get_args

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import one_hot

from attend.core.expect import checked
from attend.core.types import Positive, Seed

CARDS = 16
T, D = CARDS + 1, CARDS + 1
"""The steps of a row with its joker, and the numbers of a step: 16 for the letter, one for the colour."""
PATTERN = (1, 0, 0, 1)
FLOORS = 4
Question = Literal["pattern", "lift", "match"]
QUESTIONS: tuple[str, ...] = get_args(Question)


@checked
def sample(rows: Positive, generator: torch.Generator | None = None) -> tuple[Float[Tensor, "B 17 17"], dict]:
    """Rows, each letter as a one-hot vector and its colour as 1 or -1; and the answers (B), 0 or 1, by question."""
    letters = torch.rand(rows, CARDS, generator=generator).argsort(1)  # (B, 16), each row a permutation
    red = torch.randint(2, (rows, CARDS), generator=generator)
    named = torch.randint(CARDS, (rows,), generator=generator)  # where the joker's letter stands
    every = torch.arange(rows)
    colour = torch.cat([2 * red - 1, torch.zeros(rows, 1)], dim=1)
    letters = torch.cat([letters, letters[every, named, None]], dim=1)  # (B, 17)
    x = torch.cat([one_hot(letters, CARDS).float(), colour[..., None]], dim=2)
    return x, {"pattern": has_pattern(red), "lift": upper_half(red), "match": red[every, named]}


@checked
def has_pattern(red: Int[Tensor, "B T"]) -> Int[Tensor, "B"]:
    """1 where red, black, black, red stand side by side."""
    return (red.unfold(1, len(PATTERN), 1) == torch.tensor(PATTERN)).all(2).any(1).long()


@checked
def upper_half(red: Int[Tensor, "B T"]) -> Int[Tensor, "B"]:
    """1 where the lift ends on the third or fourth floor."""
    floor = torch.ones_like(red[:, 0])  # floors are 0 to 3; it starts on the second
    for step in red.unbind(1):
        floor = (floor + 2 * step - 1).clamp(0, FLOORS - 1)
    return (floor >= FLOORS // 2).long()


@checked
def example(seed: Seed = 0) -> str:
    """One row to read, red cards as capital letters, with the three answers."""
    x, answers = sample(1, torch.Generator().manual_seed(seed))
    letters = [chr(ord("a") + letter) for letter in x[0, :, :CARDS].argmax(1).tolist()]
    cards = [letter.upper() if colour > 0 else letter for letter, colour in zip(letters, x[0, :, -1], strict=True)]
    said = ", ".join(f"{question} {'yes' if answers[question].item() else 'no'}" for question in QUESTIONS)
    return f"{' '.join(cards[:-1])} | {cards[-1]}? → {said}"
