"""Two friends plan a journey, turn by turn; then one asks for something that was said some turns ago."""

import random
from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.core.types import Seed


class Slot(NamedTuple):
    """A thing to settle: its five `values`, how it is said, asked for and answered ({} stands for the value)."""

    values: tuple[str, ...]
    says: tuple[str, str]
    asks: tuple[str, str]
    answer: str


SLOTS = {
    "city": Slot(
        ("rome", "oslo", "lima", "cairo", "tokyo"),
        ("we fly to {}", "{} is where we go"),
        ("where do we go ?", "which city is it ?"),
        "we go to {} .",
    ),
    "month": Slot(
        ("january", "march", "june", "august", "october"),
        ("let us leave in {}", "{} is a good month"),
        ("when do we leave ?", "in which month is it ?"),
        "in {} .",
    ),
    "people": Slot(
        ("two", "three", "four", "six", "nine"),
        ("book for {} people", "{} of us will come"),
        ("how many are we ?", "how many of us come ?"),
        "we are {} .",
    ),
    "food": Slot(
        ("pasta", "curry", "soup", "fish", "rice"),
        ("i want to eat {}", "{} would be a fine dinner"),
        ("what do we eat ?", "what is for dinner ?"),
        "we eat {} .",
    ),
}
"""What the friends settle, by name."""

CHANCE = 1 / 5
"""How often a guess among a thing's values is right; no value belongs to two things."""

SMALL_TALK = (
    *("well", "so", "yes", "oh", "you know", "i think", "of course", "let me see", "as i said", "to be honest"),
    *("my sister says so", "it was a long day", "the sun is out", "i had no time", "we talked at home"),
    *("if that is all right", "and then the phone rang", "what a lovely morning", "thank you for that"),
)
"""What is said around that, one to five words at a time; no value is among them."""

END = "end"
_PHRASES = [phrase for slot in SLOTS.values() for phrase in (*slot.says, *slot.asks, slot.answer, *slot.values)]
WORDS = (END, *sorted({word for phrase in (*_PHRASES, *SMALL_TALK) for word in phrase.split()} - {"{}"}))
"""The vocabulary. A word's token is its place here; token 0 ends every turn and every answer."""

_PLACE = {word: place for place, word in enumerate(WORDS)}


class Turns(NamedTuple):
    """Turns of one length to make dialogues of, each in K versions that differ in their small talk.

    `told` (S, values, K, T) settle a thing, `asked` (S, K, T) ask for it; `answers` (S, values, A) have their `ends`
    (S, A), a mask that is True up to the end of the answer.
    """

    told: Int[Tensor, "S O K T"]
    asked: Int[Tensor, "S K T"]
    answers: Int[Tensor, "S O A"]
    ends: Bool[Tensor, "S A"]


class Dialogues(NamedTuple):
    """Dialogues as tokens: `words` and `mask` (B, N, T), the last turn a question; `answer` and `asked` (B, A).

    `asked` is True for the words of the answer, its end included; `back` (B) is how many turns ago it was said.
    """

    words: Int[Tensor, "B N T"]
    mask: Bool[Tensor, "B N T"]
    answer: Int[Tensor, "B A"]
    asked: Bool[Tensor, "B A"]
    back: Int[Tensor, "B"]


@checked
def turns(length: int, generator: torch.Generator, versions: int = 50) -> Turns:
    """Turns of `length` words, the end not counted: each way to say or to ask, in `versions` versions.

    Raises ValueError for turns of less than 8 words, and for less than 1 version.
    """
    expect(length >= 8, "length", length, "at least 8 words")
    expect(versions > 0, "versions", versions, "a positive whole number")
    chance = random.Random(int(torch.randint(2**62, (), generator=generator)))

    def spoken(ways: tuple[str, str], value: str = "", after: bool = True) -> list[list[int]]:
        said = [chance.choice(ways).format(value) for _ in range(versions)]
        return [_tokens(_surround(chance, phrase, length, after)) for phrase in said]

    things = SLOTS.values()
    told = [[spoken(slot.says, value) for value in slot.values] for slot in things]
    asked = [spoken(slot.asks, after=False) for slot in things]
    answers, ends = padded([_tokens(slot.answer.format(value)) for slot in things for value in slot.values])
    shape = (len(SLOTS), -1, answers.shape[1])
    return Turns(torch.tensor(told), torch.tensor(asked), answers.view(shape), ends.view(shape)[:, 0])


def _surround(chance: random.Random, phrase: str, length: int, after: bool = True) -> str:
    """The phrase with small talk before it and, unless `after` is False, behind it: `length` words in all."""
    left, before, behind = length - len(phrase.split()), [], []
    while left > 0:
        said = chance.choice([talk for talk in SMALL_TALK if len(talk.split()) <= left])
        (behind if after and chance.random() < 0.5 else before).append(said)
        left -= len(said.split())
    return " ".join([*before, phrase, *behind])


@checked
def sample(
    B: int, turns: Turns, generator: torch.Generator, told: int | None = None, back: int | None = None
) -> Dialogues:
    """B dialogues: `told` turns that settle one thing each, no thing twice, and a question for one that `back` says.

    Without `told` there are 1 to 4; without `back` each turn is equally likely to be asked for. Where there are less
    than 4, unseen turns stand before them. Raises ValueError unless 1 <= back <= told <= 4.
    """
    S, values, versions, _ = turns.told.shape
    expect(B > 0, "B", B, "a positive whole number")
    expect(told is None or 1 <= told <= S, "told", told, f"1 to {S}, or None")
    expect(back is None or 1 <= back <= (told or S), "back", back, f"1 to {told or S}, or None")

    def drawn(count: int, *shape: int) -> Tensor:
        return torch.randint(count, shape, generator=generator)

    least = back or 1
    many = torch.full((B,), told) if told else least + drawn(S - least + 1, B)
    backs = torch.full((B,), back) if back else 1 + (torch.rand(B, generator=generator) * many).long()
    things, chosen = torch.rand(B, S, generator=generator).argsort(1), drawn(values, B, S)
    row, at = torch.arange(B), S - backs
    thing, value = things[row, at], chosen[row, at]
    said = turns.told[things, chosen, drawn(versions, B, S)]
    words = torch.cat([said, turns.asked[thing, drawn(versions, B)][:, None]], dim=1)
    there = torch.arange(S + 1) >= (S - many)[:, None]
    return Dialogues(words, there[..., None].expand_as(words), turns.answers[thing, value], turns.ends[thing], backs)


@checked
def tokens(text: str) -> list[int]:
    """The tokens of a turn, its end included. Raises ValueError for a word that is not in WORDS."""
    odd = [word for word in text.split() if word not in _PLACE]
    expect(not odd and bool(text.split()), "text", " ".join(odd) or text, "words of WORDS")
    return _tokens(text)


def _tokens(text: str) -> list[int]:
    return [*(_PLACE[word] for word in text.split()), 0]


@checked
def encode(dialogues: Sequence[Sequence[str]]) -> tuple[Int[Tensor, "B N T"], Bool[Tensor, "B N T"]]:
    """Dialogues of any number of turns as words and mask (B, N, T); shorter ones have unseen turns before their first.

    Raises ValueError when there is no dialogue or no turn in one, and for a word that is not in WORDS.
    """
    expect(len(dialogues) > 0 and all(dialogues), "dialogues", dialogues, "dialogues of at least one turn")
    N = max(len(dialogue) for dialogue in dialogues)
    words, mask = padded([row for d in dialogues for row in [[]] * (N - len(d)) + [tokens(turn) for turn in d]])
    shape = (len(dialogues), N, -1)
    return words.view(shape), mask.view(shape)


@checked
def padded(rows: Sequence[Sequence[int]]) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T"]]:
    """Rows of tokens filled up with 0 to the longest, and the mask that says which are theirs."""
    expect(any(len(row) > 0 for row in rows), "rows", rows, "rows of tokens, not all of them empty")
    lengths = torch.tensor([[len(row)] for row in rows])
    T = int(lengths.max())
    return torch.tensor([[*row, *[0] * (T - len(row))] for row in rows]), torch.arange(T) < lengths


@checked
def cost(logits: Float[Tensor, "B A V"], answer: Int[Tensor, "B A"], asked: Bool[Tensor, "B A"]) -> Float[Tensor, ""]:
    """The mean surprise, in nats a word, over the words of the answers, their ends included."""
    return cross_entropy(logits[asked], answer[asked])


@checked
def exact(written: Int[Tensor, "B A"], answer: Int[Tensor, "B A"], asked: Bool[Tensor, "B A"]) -> Bool[Tensor, "B"]:
    """Which answers were written without a mistake, their end included."""
    return ((written == answer) | ~asked).all(dim=1)


@checked
def spell(row: Int[Tensor, "A"]) -> str:
    """The words of a turn or an answer, up to its end."""
    places = row.tolist()
    return " ".join(WORDS[place] for place in places[: places.index(0) if 0 in places else None])


@checked
def example(seed: Seed = 0, length: int = 9, told: int = 4, back: int = 3) -> str:
    """One dialogue to read, a turn a line, and its answer after an arrow."""
    generator = torch.Generator().manual_seed(seed)
    made = sample(1, turns(length, generator), generator, told, back)
    said = [spell(turn) for turn, there in zip(made.words[0], made.mask[0], strict=True) if there.any()]
    return "\n".join([*said, f"→ {spell(made.answer[0])}"])
