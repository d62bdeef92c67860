"""Translation with the right word known: numbers of up to 15 digits, English into German.

The longest are of 29 words, and German turns tens and units round: forty-two is zwei·und·vier·zig. Because both
languages are built by rule, it is known of every German piece which English word it comes from.
"""

from functools import cache

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.tasks import numbers
from attend.tasks.pairs import Pairs, padded
from attend.tasks.split import known_part, part_of

ENGLISH = (*numbers.ENGLISH, "billion", "trillion")
GERMAN = (*numbers.GERMAN, "milliarde", "milliarden", "billion", "billionen")
"""The two vocabularies; a word's token is its place here."""
END = numbers.END
"""The token that starts and ends a German number; it is written as a dot."""
NOWHERE = -1
"""The origin of a piece that comes from no English word: "und" between unit and tens, and the end."""
_SCALES = {"thousand", "million", "billion", "trillion"}
_GERMAN_SCALES = {"tausend", "million", "millionen", "milliarde", "milliarden", "billion", "billionen"}
_ENGLISH_TOKENS, _GERMAN_TOKENS = ({word: token for token, word in enumerate(words)} for words in (ENGLISH, GERMAN))


@checked
@cache
def sparse(part: str, most: Positive = 12_000) -> tuple[int, ...]:
    """The numbers of one part, of `most` of up to 12 digits; each group of three digits is 000 half of the time.

    So short numbers have words of every scale, up to billion. Raises ValueError for an unknown part.
    """
    wanted = known_part(part)
    generator = torch.Generator().manual_seed(12)
    groups = torch.randint(1, 1_000, (most, 4), generator=generator)
    groups *= torch.rand(most, 4, generator=generator) < 0.5
    drawn = {sum(group * 1_000**power for power, group in enumerate(row)) for row in groups.tolist()}
    return tuple(n for n in sorted(drawn) if part_of(str(n)) == wanted)


@checked
def tokens(words: tuple[str, ...]) -> Int[Tensor, "S"]:
    """English words as tokens. Raises ValueError for a word that is not in `ENGLISH`, and for no words at all."""
    unknown = [word for word in words if word not in _ENGLISH_TOKENS]
    expect(len(words) > 0 and not unknown, "words", unknown or words, "at least one word, each one of ENGLISH")
    return torch.tensor([_ENGLISH_TOKENS[word] for word in words])


@checked
def encode(of: tuple[int, ...], reverse: bool = False) -> Pairs:
    """The numbers as tokens in both languages; each German number ends with END.

    With `reverse` the English words stand back to front (Sutskever et al. 2014).
    """
    expect(len(of) > 0, "of", of, "at least one number")
    step = -1 if reverse else 1
    source = [[_ENGLISH_TOKENS[word] for word in numbers.english(n)[::step]] for n in of]
    target = [[*(_GERMAN_TOKENS[piece] for piece in numbers.german(n)), END] for n in of]
    return Pairs(*padded(source), *padded(target))


@checked
def origins(of: tuple[int, ...]) -> Int[Tensor, "B T"]:
    """For each German piece of `encode(of)` the place (from 0) of the English word that it says, or NOWHERE."""
    expect(len(of) > 0, "of", of, "at least one number")
    return padded([[*_origin(numbers.english(n), numbers.german(n)), NOWHERE] for n in of], NOWHERE)[0]


@checked
def on_the_right_word(
    weights: Float[Tensor, "B T S"],
    origin: Int[Tensor, "B T"],
) -> Bool[Tensor, "N"]:
    """For each piece that has an origin (N in all): does the largest weight stand on it?"""
    said = origin != NOWHERE
    return weights.argmax(2)[said] == origin[said]


@checked
def spell(written: Int[Tensor, "T"]) -> str:
    """German tokens to read, up to the first END: zwei·und·vier·zig."""
    pieces = written.tolist()
    return "·".join(GERMAN[piece] for piece in pieces[: pieces.index(END) if END in pieces else None])


def _origin(english: tuple[str, ...], german: tuple[str, ...]) -> list[int]:
    """Both numbers fall into the same groups, three digits and a scale; inside a group a few rules tell the origin."""
    found: list[int] = []
    for places, pieces in zip(_groups(english, _SCALES), _groups(german, _GERMAN_SCALES), strict=True):
        found += _in_group([(place, english[place]) for place in places], [german[i] for i in pieces])
    return found


def _groups(words: tuple[str, ...], scales: set[str]) -> list[list[int]]:
    """Places of the words, cut behind each scale."""
    groups: list[list[int]] = [[]]
    for place, word in enumerate(words):
        groups[-1].append(place)
        if word in scales:
            groups.append([])
    return groups if groups[-1] else groups[:-1]


def _in_group(english: list[tuple[int, str]], german: list[str]) -> list[int]:
    """Hundreds and scale keep their order; of what is left, "und" parts two.

    Pieces before "und" say the unit and those after it the tens; without "und" all of them say one word.
    """
    english = [(place, word) for place, word in english if word != "and"]
    head, tail = [], []
    if german[-1] in _GERMAN_SCALES:
        (place, _), english, german = english[-1], english[:-1], german[:-1]
        tail = [place]
    if "hundert" in german:
        cut = german.index("hundert")
        (digit, _), (hundred, _), *english = english
        head, german = [digit] * cut + [hundred], german[cut + 1 :]
    if "und" in german:
        cut = german.index("und")
        (tens, _), (unit, _) = english
        middle = [unit] * cut + [NOWHERE] + [tens] * (len(german) - cut - 1)
    else:
        middle = [english[0][0]] * len(german) if german else []
    return head + middle + tail
