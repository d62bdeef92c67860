"""Two friends plan a journey in few words; at the end one asks for something that was settled some turns ago.

Source   ours; a small relative of the long-time-lag tasks of Hochreiter & Schmidhuber 1997 (attend.tasks.distractors).
Agrees   where the answer was said, that nothing else gives it away, shares of words (tests/tasks/test_dialogue.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive, Seed

CITIES = ("rome", "oslo", "lima", "cairo")
MONTHS = ("march", "june", "august", "october")
SMALL_TALK = ("well", "so", "yes", "oh", "hm", "right")
WORDS = ("end", "to", "in", "where", "when", "?", *CITIES, *MONTHS, *SMALL_TALK)
"""The vocabulary. A word's token is its place here; token 0 ends every answer."""

PLACE = {word: token for token, word in enumerate(WORDS)}
SAYS = torch.tensor([PLACE["to"], PLACE["in"]])
ASKS = torch.tensor([PLACE["where"], PLACE["when"]])
VALUES = torch.tensor([[PLACE[word] for word in words] for words in (CITIES, MONTHS)])
FIRST_TALK = PLACE[SMALL_TALK[0]]

CHANCE = 1 / 4
"""How often one is right who understands the question and guesses the answer."""


class Dialogues(NamedTuple):
    """Dialogues as tokens: `words` and `mask` (B, N, T), the last turn a question; its `answer` (B, 3).

    `back` (B) is how many turns before the question the answer was said.
    """

    words: Int[Tensor, "B N T"]
    mask: Bool[Tensor, "B N T"]
    answer: Int[Tensor, "B 3"]
    back: Int[Tensor, "B"]


@checked
def sample(
    batch: Positive,
    length: Positive = 12,
    turns: Positive = 3,
    back: int | None = 3,
    generator: torch.Generator | None = None,
) -> Dialogues:
    """Dialogues of `turns` turns and a question, each of `length` words.

    In one turn the friends settle where to go ("to rome"), in another one when ("in june"); all other words are small
    talk. One of the two things is asked for; `back` says how many turns before the question it was said, None leaves it
    to chance. Raises ValueError for turns of less than 2 words, for less than 2 turns, and for a `back` beyond them.
    """
    expect(length > 1, "length", length, "at least 2 words")
    expect(turns > 1, "turns", turns, "at least 2")
    expect(back is None or 1 <= back <= turns, "back", back, f"1 to {turns}, or None")

    def draw(high: int, *shape: int) -> Tensor:
        return torch.randint(high, shape, generator=generator)

    rows = torch.arange(batch)
    words = FIRST_TALK + draw(len(SMALL_TALK), batch, turns + 1, length)  # (B, N, T)
    thing, asked_value, other_value = draw(2, batch), draw(4, batch), draw(4, batch)
    backs = draw(turns, batch) + 1 if back is None else torch.full((batch,), back)
    asked_turn = turns - backs
    other_turn = (asked_turn + 1 + draw(turns - 1, batch)) % turns
    for kind, value, turn in ((thing, asked_value, asked_turn), (1 - thing, other_value, other_turn)):
        at = draw(length - 1, batch)
        words[rows, turn, at] = SAYS[kind]
        words[rows, turn, at + 1] = VALUES[kind, value]
    words[:, -1, -2] = ASKS[thing]
    words[:, -1, -1] = PLACE["?"]
    answer = torch.stack([SAYS[thing], VALUES[thing, asked_value], torch.zeros_like(thing)], dim=1)  # (B, 3)
    return Dialogues(words, torch.ones_like(words, dtype=torch.bool), answer, backs)


@checked
def encode(dialogues: Sequence[Sequence[str]]) -> tuple[Int[Tensor, "B N T"], Bool[Tensor, "B N T"]]:
    """Texts as `words` and `mask`; short turns are padded behind, short dialogues with turns behind.

    Raises ValueError when there is no dialogue, an empty one, or a turn without words of WORDS.
    """
    expect(len(dialogues) > 0 and all(dialogues), "dialogues", dialogues, "dialogues of at least one turn")
    rows = [[turn.split() for turn in dialogue] for dialogue in dialogues]
    odd = [word for turns in rows for turn in turns for word in turn or ["an empty turn"] if word not in PLACE]
    expect(not odd, "dialogues", odd, "words of WORDS")
    shape = len(rows), max(map(len, rows)), max(len(turn) for turns in rows for turn in turns)
    words, mask = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.bool)
    for b, turns in enumerate(rows):
        for n, turn in enumerate(turns):
            words[b, n, : len(turn)] = torch.tensor([PLACE[word] for word in turn])
            mask[b, n, : len(turn)] = True
    return words, mask


@checked
def spell(tokens: Int[Tensor, "T"]) -> str:
    """The words of a turn or an answer, up to its end."""
    places = tokens.tolist()
    return " ".join(WORDS[place] for place in places[: places.index(0) if 0 in places else None])


@checked
def example(seed: Seed = 0, length: Positive = 12, turns: Positive = 3, back: int = 3) -> str:
    """One dialogue to read, a turn a line, and its answer after an arrow."""
    made = sample(1, length, turns, back, torch.Generator().manual_seed(seed))
    return "\n".join([*map(spell, made.words[0]), f"→ {spell(made.answer[0])}"])
