"""Pairs of sentences about the people of a village, from a small weighted grammar of English of ours.

The first sentence tells what somebody does; its verbs agree with its first noun, however many nouns stand between. The
second says of the same people where they are, which follows from what they do, or how they feel.
"""

import random
from functools import cache
from typing import NamedTuple

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive

PAD, CLS, SEP, MASK = range(4)
SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")
"""The tokens that are no words, in their places."""
MEN, WOMEN = ("boy", "king", "father"), ("girl", "queen", "mother")
PEOPLE = MEN + WOMEN
LOOKS = ("old", "young", "tall", "small")
KNOW = ("like", "see", "know", "call")
DOES = {
    "kitchen": (("bake", "cook"), ("bread", "cake", "soup")),
    "school": (("read", "write"), ("book", "letter", "poem")),
    "garden": (("plant", "water"), ("rose", "tree", "bush")),
    "stable": (("feed", "ride"), ("horse", "pony", "mule")),
}
"""What is done in each place, and to what."""
SHOWS = {True: ("smile", "laugh", "sing"), False: ("weep", "frown", "sigh")}
FEELS = {True: ("happy", "glad", "proud"), False: ("sad", "angry", "upset")}
"""How a good and a bad mood show, and their names."""
WORDS = (
    *("the", "and", "that", "near", "in", "is", "are", "he", "she", "they", "."),
    *(word for noun in PEOPLE for word in (noun, f"{noun}s")),
    *(word for verb in KNOW for word in (verb, f"{verb}s")),
    *LOOKS,
    *(word for verbs, _ in DOES.values() for verb in verbs for word in (verb, f"{verb}s")),
    *(thing for _, things in DOES.values() for thing in things),
    *DOES,
    *(word for verbs in SHOWS.values() for verb in verbs for word in (verb, f"{verb}s")),
    *(mood for moods in FEELS.values() for mood in moods),
)
VOCABULARY = SPECIAL + WORDS
"""All tokens."""
_TOKEN = {word: token for token, word in enumerate(VOCABULARY)}


class Story(NamedTuple):
    """Two sentences, and what is true of them: `plural` of the first noun, how many others stand before the verb,
    where the main verb stands in the first sentence, and whether the nearest noun before it has the other number."""

    first: str
    second: str
    plural: bool
    between: int
    verb: int
    misleading: bool


class Batch(NamedTuple):
    """[CLS] first [SEP] second [SEP], padded on the right: `tokens` and `segments`, 0 or 1, both (B, T)."""

    tokens: Int[Tensor, "B T"]
    segments: Int[Tensor, "B T"]


class Pairs(NamedTuple):
    """Pairs of sentences as one batch, and whether the second of each follows the first."""

    batch: Batch
    follows: Bool[Tensor, "B"]


def _verb(verb: str, plural: bool) -> str:
    return verb if plural else f"{verb}s"


def _person(draw: random.Random) -> tuple[str, bool]:
    return draw.choice(PEOPLE), draw.random() < 0.5


def _phrase(draw: random.Random, noun: str, plural: bool, more: bool = True) -> tuple[list[str], list[bool]]:
    """Its words, and the number of each noun in it."""
    words = ["the", *([draw.choice(LOOKS)] if draw.random() < 0.2 else []), f"{noun}s" if plural else noun]
    kind = draw.random()
    if not more or kind >= 0.3:
        return words, [plural]
    other, others = _person(draw)
    inner, _ = _phrase(draw, other, others, more=False)
    if kind < 0.1:
        words += ["that", *inner, _verb(draw.choice(KNOW), others)]
    elif kind < 0.2:
        words += ["that", _verb(draw.choice(KNOW), plural), *inner]
    else:
        words += ["near", *inner]
    return words, [plural, others]


def _story(draw: random.Random) -> Story:
    noun, plural = _person(draw)
    words, numbers = _phrase(draw, noun, plural)
    place, good = draw.choice(tuple(DOES)), draw.random() < 0.5
    verbs, things = DOES[place]
    doing = [_verb(draw.choice(verbs), plural), "the", draw.choice(things)]
    first = [*words, *doing, "and", _verb(draw.choice(SHOWS[good]), plural), "."]
    pronoun = "they" if plural else "he" if noun in MEN else "she"
    said = ["in", "the", place] if draw.random() < 0.5 else [draw.choice(FEELS[good])]
    second = [pronoun, "are" if plural else "is", *said, "."]
    misled = len(numbers) > 1 and numbers[-1] != plural
    return Story(" ".join(first), " ".join(second), plural, len(numbers) - 1, len(words), misled)


@checked
@cache
def stories(seed: NonNegative, N: Positive) -> tuple[Story, ...]:
    """N stories of one seed. Seed 0 is the text to train on, and 1 that on which nobody trains."""
    draw = random.Random(seed)
    return tuple(_story(draw) for _ in range(N))


@checked
def encode(firsts: list[str], seconds: list[str] | None = None) -> Batch:
    """The tokens of sentences, one or two a row. Raises ValueError for words that the village does not know."""
    expect(len(firsts) > 0, "firsts", firsts, "at least one sentence")
    expect(seconds is None or len(seconds) == len(firsts), "seconds", seconds, f"{len(firsts)} sentences")
    heads = [["[CLS]", *text.split(), "[SEP]"] for text in firsts]
    tails = [[*text.split(), "[SEP]"] for text in seconds] if seconds else [[] for _ in firsts]
    odd = sorted({word for row in heads + tails for word in row} - set(VOCABULARY))
    expect(not odd, "firsts, seconds", odd, "only words of VOCABULARY")
    T = max(len(head) + len(tail) for head, tail in zip(heads, tails, strict=True))
    tokens, segments = torch.full((len(heads), T), PAD), torch.zeros(len(heads), T, dtype=torch.long)
    for row, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        length = len(head) + len(tail)
        tokens[row, :length] = torch.tensor([_TOKEN[word] for word in head + tail])
        segments[row, len(head) : length] = 1
    return Batch(tokens, segments)


@checked
def pairs(told: tuple[Story, ...], generator: torch.Generator) -> Pairs:
    """Each first sentence with its second in half of the cases, and otherwise with the second of a random story."""
    expect(len(told) > 0, "told", told, "at least one story")
    follows = torch.rand(len(told), generator=generator) < 0.5
    others = torch.randint(len(told), (len(told),), generator=generator).tolist()
    seconds = [
        (one if yes else told[other]).second for one, yes, other in zip(told, follows.tolist(), others, strict=True)
    ]
    return Pairs(encode([one.first for one in told], seconds), follows)


@checked
def grammatical(told: tuple[Story, ...], generator: torch.Generator) -> tuple[list[str], Bool[Tensor, "B"]]:
    """First sentences, in half of which both verbs have the wrong number; and which are as they should be."""
    right = torch.rand(len(told), generator=generator) < 0.5
    texts = []
    for one, fine in zip(told, right.tolist(), strict=True):
        words = one.first.split()
        for place in (one.verb, len(words) - 2):
            stem = words[place] if one.plural else words[place][:-1]
            words[place] = _verb(stem, one.plural == fine)
        texts.append(" ".join(words))
    return texts, right


@checked
def same_people(told: tuple[Story, ...], generator: torch.Generator) -> tuple[list[str], list[str], Bool[Tensor, "B"]]:
    """Pairs whose second sentence speaks of the first noun of the first, or, in half of them, of somebody else."""
    right = torch.rand(len(told), generator=generator) < 0.5
    seconds, chosen = [], torch.randint(2, (len(told),), generator=generator).tolist()
    for one, fine, n in zip(told, right.tolist(), chosen, strict=True):
        pronoun, _, rest = one.second.split(" ", 2)
        if not fine:
            pronoun = [other for other in ("he", "she", "they") if other != pronoun][n]
        seconds.append(f"{pronoun} {'are' if pronoun == 'they' else 'is'} {rest}")
    return [one.first for one in told], seconds, right


@checked
def moods(told: tuple[Story, ...]) -> tuple[list[str], Bool[Tensor, "B"]]:
    """First sentences, and which of them end in a good mood: a question that one word answers."""
    good = {form for verb in SHOWS[True] for form in (verb, f"{verb}s")}
    return [one.first for one in told], torch.tensor([one.first.split()[-2] in good for one in told])


@checked
def example() -> str:
    """Three stories to read."""
    return "\n".join(f"{one.first}  |  {one.second}" for one in stories(0, 3))
