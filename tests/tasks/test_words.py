"""Words as rows of tokens and as examples, each word in one part."""

import pytest
import torch

from attend.tasks import words


def test_the_parts_share_no_word_and_hold_small_letters():
    parts = [words.load(part) for part in ("train", "validation", "test")]
    assert [len(part) for part in parts] == [6_756, 894, 1_371]
    together = [word for part in parts for word in part]
    assert len(set(together)) == len(together)
    assert set("".join(together)) == set(words.ALPHABET[1:])
    assert min(map(len, together)) == 3


def test_a_word_and_back():
    assert words.encode("the").tolist() == [20, 8, 5]
    assert words.spell(torch.tensor([0, 20, 8, 5, 0])) == ".the."


def test_examples_are_what_stands_before_and_what_comes():
    before, comes = words.examples(["the", "oh"], 3)
    assert [words.spell(row) for row in before] == ["...", "..t", ".th", "the", "...", "..o", ".oh"]
    assert words.spell(comes) == "the.oh."


def test_rows_are_padded_behind_the_end():
    before, comes, mask = words.rows(["oh", "speak"], 2)
    assert [words.spell(row) for row in comes] == ["oh....", "speak."]
    assert mask.tolist() == [[True] * 3 + [False] * 3, [True] * 6]
    assert [words.spell(row) for row in before[0]] == ["..", ".o", "oh", "h.", "..", ".."]


@pytest.mark.parametrize("of", [[], ["the", ""], ["O"], ["a.b"]])
def test_what_is_no_word_is_refused(of):
    with pytest.raises(ValueError, match="words: got"):
        words.rows(of, 2)


def calls():
    return {
        words.load: {"part": "test"},
        words.encode: {"word": "the"},
        words.spell: {"tokens": torch.tensor([1, 2])},
        words.rows: {"words": ["the", "oh"], "k": 2},
        words.examples: {"words": ["the", "oh"], "k": 2},
    }


def good():
    return {words.encode: {"word": {"word", "empty"}}}
