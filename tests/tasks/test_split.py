import hashlib

import pytest

from attend.tasks import split
from attend.tasks.split import PARTS, known_part, part_of


def test_the_shares_are_those_that_were_promised():
    parts = [part_of(f"text {i}") for i in range(20_000)]
    shares = [parts.count(part) / len(parts) for part in PARTS]
    assert shares == pytest.approx([0.75, 0.10, 0.15], abs=0.01)


def test_a_part_follows_from_the_text_alone():
    for text in ("", "a film", "zwei·und·vier·zig"):
        share = int(hashlib.sha256(text.encode()).hexdigest()[:16], 16) / 2**64
        assert part_of(text) == ("test" if share < 0.15 else "validation" if share < 0.25 else "train")


def test_an_unknown_part_is_refused():
    assert [known_part(part) for part in PARTS] == list(PARTS)
    with pytest.raises(ValueError, match="part: got 'dev'"):
        known_part("dev")


def calls():
    return {
        split.part_of: {"text": "a film"},
        split.known_part: {"part": "test"},
    }


def good():
    WORD = {"text": {"word"}}
    return {
        split.part_of: WORD,
    }
