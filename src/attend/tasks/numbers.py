"""A sequence for a sequence: numbers in English words to the same numbers in German words.

German writes forty-two as zwei·und·vier·zig, two and four ty: the pieces change places, so that no word can be
translated before the next one is read.
"""

import re
from functools import cache

import torch
from jaxtyping import Int
from num2words import num2words
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.pairs import Pairs, padded
from attend.tasks.split import known_part, part_of

_ENGLISH = """and zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
    million"""
_GERMAN = """· null ein eins eine zwei drei vier fünf sechs sech sieben sieb acht neun zehn elf zwölf zwanzig zig
    dreißig und hundert tausend million millionen"""
ENGLISH, GERMAN = tuple(_ENGLISH.split()), tuple(_GERMAN.split())
"""The two vocabularies; a word's token is its place here. `sech` and `sieb` are six and seven in sixteen or seventy."""
END = 0
"""The token that starts and ends a German number; it is written as a dot."""
_LARGE = ("milliarde", "milliarden", "billion", "billionen")
_PIECE = re.compile("|".join(sorted(map(re.escape, (*GERMAN[1:], *_LARGE)), key=len, reverse=True)))


@checked
@cache
def english(n: int) -> tuple[str, ...]:
    """The words of `n` in English: 42 is forty, two. Raises ValueError below 0 and from 10¹⁵ on."""
    _in_range(n)
    return tuple(re.findall("[a-z]+", num2words(n)))


@checked
@cache
def german(n: int) -> tuple[str, ...]:
    """The pieces of `n` in German: 42 is zwei, und, vier, zig. Raises ValueError below 0 and from 10¹⁵ on."""
    _in_range(n)
    return tuple(_PIECE.findall(num2words(n, lang="de").lower()))


def _in_range(n: int) -> None:
    expect(0 <= n < 10**15, "n", n, "a whole number from 0 to 999,999,999,999,999")


@checked
@cache
def numbers(part: str, digits: int, most: int = 4_000) -> tuple[int, ...]:
    """The numbers of one part with 1 to `digits` digits: all below 1,000, and `most` of each greater length."""
    wanted = known_part(part)
    expect(1 <= digits <= 15, "digits", digits, "a whole number from 1 to 15")
    expect(most > 0, "most", most, "a positive whole number")
    generator = torch.Generator().manual_seed(digits)
    drawn = set(range(min(10**digits, 1_000)))
    for length in range(4, digits + 1):
        drawn.update(torch.randint(10 ** (length - 1), 10**length, (most,), generator=generator).tolist())
    return tuple(n for n in sorted(drawn) if part_of(str(n)) == wanted)


@checked
def encode(numbers: tuple[int, ...]) -> Pairs:
    """The numbers as tokens in both languages.

    The English words stand in reverse, which brings their first words near to the first German pieces (Sutskever et
    al. 2014); each German number ends with END.
    """
    known = len(numbers) > 0 and all(0 <= n < 10**9 for n in numbers)
    expect(known, "numbers", numbers, "at least one number, each from 0 to 999,999,999")
    source = [[ENGLISH.index(word) for word in reversed(english(n))] for n in numbers]
    target = [[*(GERMAN.index(piece) for piece in german(n)), END] for n in numbers]
    return Pairs(*padded(source), *padded(target))


@checked
def spell(tokens: Int[Tensor, "T"]) -> str:
    """German tokens to read, up to the first END: zwei·und·vier·zig."""
    pieces = tokens.tolist()
    return "·".join(GERMAN[piece] for piece in pieces[: pieces.index(END) if END in pieces else None])
