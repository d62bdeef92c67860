import datetime
from collections import Counter

import pytest
import torch
from babel.dates import format_date

from attend.tasks import dates
from attend.tasks.dates import END, ENGLISH, HUNGARIAN, NOWHERE

FRIDAY = datetime.date(2025, 11, 21)


def test_one_day_by_hand():
    assert dates.words(FRIDAY, "en_US") == ("Friday", "November", "2", "1", "2", "0", "2", "5")
    assert dates.words(FRIDAY, "hu") == ("2", "0", "2", "5", "november", "2", "1", "péntek")
    assert dates.origins((FRIDAY,)).tolist() == [[4, 5, 6, 7, 1, 2, 3, 0, NOWHERE]]
    pairs = dates.encode((FRIDAY, datetime.date(1987, 3, 9)))
    assert dates.spell(pairs.target[0]) == "2 0 2 5 november 2 1 péntek"
    assert dates.spell(pairs.target[1]) == "1 9 8 7 március 9 hétfő"
    assert pairs.target[1].tolist()[-2:] == [END, END]
    assert pairs.mask.sum(1).tolist() == [8, 7]


def test_every_word_has_one_origin_and_says_the_same():
    said = {}
    for day in dates.days("train", 2_000):
        english, hungarian = dates.words(day, "en_US"), dates.words(day, "hu")
        origin = dates.origins((day,))[0].tolist()
        assert Counter(origin) == Counter([*range(len(english)), NOWHERE])
        for word, place in zip(hungarian, origin, strict=False):
            assert said.setdefault(word, english[place]) == english[place]
    assert len(said) == len(HUNGARIAN) - 1 == len(ENGLISH) - 1


def test_stops_are_all_that_is_left_out():
    for language in ("en_US", "hu"):
        text = format_date(FRIDAY, "full", locale=language)
        assert "".join(dates.words(FRIDAY, language)) == text.translate({ord(stop): None for stop in " .,"})


def test_no_day_stands_in_two_parts():
    parts = [set(dates.days(part)) for part in ("train", "validation", "test")]
    assert sum(map(len, parts)) == 3_000 == len(set.union(*parts))
    assert len(parts[0]) > len(parts[2]) > len(parts[1]) > 200
    assert torch.tensor([day.year for day in parts[2]]).unique().numel() > 150


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match=r"day: got .* from 1900-01-01 to 2099-12-31"):
        dates.words(datetime.date(1848, 3, 15), "hu")
    with pytest.raises(ValueError, match=r"language: got 'de'"):
        dates.words(FRIDAY, "de")
    with pytest.raises(ValueError, match=r"of: got \(\) .* at least one day"):
        dates.encode(())
    with pytest.raises(ValueError, match=r"part: got 'all'"):
        dates.days("all")


def calls():
    DAYS = (datetime.date(2025, 11, 21), datetime.date(1987, 3, 9))
    return {
        dates.words: {"day": DAYS[0], "language": "hu"},
        dates.days: {"part": "test", "most": 40},
        dates.encode: {"of": DAYS},
        dates.origins: {"of": DAYS},
        dates.spell: {"written": torch.tensor([1, 2])},
    }
