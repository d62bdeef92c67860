"""Days in words, English into Hungarian, which turns everything round.

Weekday, month, day, year become year, month, day, weekday. Digits are words of their own, so that days that were never
seen can be translated; stops are left out.

Both come from the locale data of Unicode (CLDR) by way of babel: "Friday, November 21, 2025" and "2025. november 21.,
péntek".
"""

import datetime
import re

import torch
from babel.dates import format_date, get_day_names, get_month_names
from jaxtyping import Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.tasks.pairs import Pairs, padded
from attend.tasks.split import known_part, part_of

FIRST, LAST = datetime.date(1900, 1, 1), datetime.date(2099, 12, 31)
"""The days that there are."""
END = 0
"""The token that starts and ends a Hungarian day; it is written as a dot."""
NOWHERE = -1
"""The origin of the end, which says no English word."""


def _vocabulary(language: str) -> tuple[str, ...]:
    names = (*get_month_names("wide", locale=language).values(), *get_day_names("wide", locale=language).values())
    return (*"·0123456789", *names)


ENGLISH, HUNGARIAN = _vocabulary("en_US"), _vocabulary("hu")
"""The two vocabularies; a word's token is its place here."""
_TOKENS = {
    language: {word: token for token, word in enumerate(words)}
    for language, words in (("en_US", ENGLISH), ("hu", HUNGARIAN))
}


@checked
def words(day: datetime.date, language: str) -> tuple[str, ...]:
    """A day in "en_US" or "hu": Friday, November, 2, 1, 2, 0, 2, 5. Raises ValueError outside `FIRST` to `LAST`."""
    expect(FIRST <= day <= LAST, "day", day, f"a day from {FIRST} to {LAST}")
    expect(language in _TOKENS, "language", language, f"one of {', '.join(_TOKENS)}")
    return tuple(re.findall(r"[^\W\d]+|\d", format_date(day, "full", locale=language)))


@checked
def days(part: str, most: int = 3_000) -> tuple[datetime.date, ...]:
    """The days of one part, of `most` days drawn from all of them."""
    wanted = known_part(part)
    span = (LAST - FIRST).days + 1
    expect(0 < most <= span, "most", most, f"a whole number from 1 to {span}")
    drawn = torch.randperm(span, generator=torch.Generator().manual_seed(0))[:most].sort().values.tolist()
    found = (FIRST + datetime.timedelta(days=number) for number in drawn)
    return tuple(day for day in found if part_of(day.isoformat()) == wanted)


@checked
def encode(of: tuple[datetime.date, ...]) -> Pairs:
    """The days as tokens in both languages; each Hungarian day ends with END."""
    expect(len(of) > 0, "of", of, "at least one day")
    english, hungarian = _TOKENS["en_US"], _TOKENS["hu"]
    source = [[english[word] for word in words(day, "en_US")] for day in of]
    target = [[*(hungarian[word] for word in words(day, "hu")), END] for day in of]
    return Pairs(*padded(source), *padded(target))


@checked
def origins(of: tuple[datetime.date, ...]) -> Int[Tensor, "B T"]:
    """For each Hungarian word of `encode(of)` the place (from 0) of the English word that it says, or NOWHERE."""
    expect(len(of) > 0, "of", of, "at least one day")
    return padded([_origin(len(words(day, "en_US"))) for day in of], NOWHERE)[0]


@checked
def spell(written: Int[Tensor, "T"]) -> str:
    """Hungarian tokens to read, up to the first END: 2 0 2 5 november 2 1 péntek."""
    pieces = written.tolist()
    return " ".join(HUNGARIAN[piece] for piece in pieces[: pieces.index(END) if END in pieces else None])


def _origin(S: int) -> list[int]:
    """Four digits of the year stand last in English, weekday and month first; between them the day."""
    return [*range(S - 4, S), 1, *range(2, S - 4), 0, NOWHERE]
