import pytest
import torch
from num2words import num2words

from attend.tasks import numbers
from attend.tasks.split import PARTS, part_of


def seeded():
    return torch.Generator().manual_seed(0)


def test_both_languages_by_hand():
    assert numbers.english(42) == ("forty", "two")
    assert numbers.german(42) == ("zwei", "und", "vier", "zig")
    assert numbers.german(16) == ("sech", "zehn")
    assert numbers.german(1_000_001) == ("eine", "million", "eins")
    assert numbers.english(1_017) == ("one", "thousand", "and", "seventeen")
    for bad in (-1, 10**15):
        with pytest.raises(ValueError, match="n: got"):
            numbers.english(bad)


def test_the_pieces_are_the_whole_word_and_all_are_in_the_vocabularies():
    for n in [*range(200), *range(999, 10**6, 7_919), *range(10**6, 10**9, 99_999_989)]:
        assert "".join(numbers.german(n)) == num2words(n, lang="de").lower().replace(" ", "")
        assert set(numbers.english(n)) <= set(numbers.ENGLISH)
        assert set(numbers.german(n)) <= set(numbers.GERMAN)


def test_the_parts_of_the_numbers():
    drawn = {part: numbers.numbers(part, 4, 500) for part in PARTS}
    everything = sorted(n for part in PARTS for n in drawn[part])
    assert everything[:1000] == list(range(1000))
    assert len(set(everything)) == len(everything)
    assert 1_400 < len(everything) <= 1_500
    assert all(part_of(str(n)) == part for part in PARTS for n in drawn[part])
    assert max(numbers.numbers("train", 2)) < 100


def test_encode_reverses_the_source_and_ends_the_target():
    pairs = numbers.encode((42, 7))
    english = [[numbers.ENGLISH[t] for t in row[there]] for row, there in zip(pairs.source, pairs.mask, strict=True)]
    assert english == [["two", "forty"], ["seven"]]
    assert pairs.target[0].tolist()[-1] == numbers.END
    assert pairs.asked.tolist() == [[True] * 5, [True] * 2 + [False] * 3]
    assert numbers.spell(pairs.target[0]) == "zwei·und·vier·zig"


def calls():
    return {
        numbers.english: {"n": 42},
        numbers.german: {"n": 42},
        numbers.numbers: {"part": "test", "digits": 2, "most": 10},
        numbers.encode: {"numbers": (7, 42)},
        numbers.spell: {"tokens": torch.tensor([1, 2])},
    }


def good():
    return {
        numbers.english: {"n": {"zero"}},
        numbers.german: {"n": {"zero"}},
    }
