import pytest
import torch

from attend.tasks import senses
from attend.tasks.split import PARTS, part_of


def everything():
    return [one for part in PARTS for one in senses.load(part)]


@pytest.mark.nightly
def test_the_parts_share_no_sentence():
    texts = {part: {one.words for one in senses.load(part)} for part in PARTS}
    assert sum(map(len, texts.values())) == len(set().union(*texts.values())) == len(everything()) == 42_823
    assert all(part_of(" ".join(words)) == part for part in PARTS for words in texts[part])


def test_the_marked_word_is_one_of_the_sentence():
    marked = [one for one in everything() if one.place >= 0]
    assert len(marked) == 38_089
    assert all(one.word == one.words[one.place] != "" for one in marked)
    assert not any("*" in word for one in everything() for word in one.words)
    assert {one.word for one in everything() if one.place < 0} == {""}


def test_kinds_are_those_of_wordnet():
    assert len(senses.KINDS) == 45
    found = {(one.word, senses.KINDS[one.kind]) for one in everything()}
    assert {
        ("life", "noun.tops"),
        ("vermin", "noun.animal"),
        ("wrongfully", "adverb"),
        ("snowing", "verb.weather"),
    } <= found
    assert {one.part_of_speech for one in everything()} == {"noun", "verb", "adjective", "adverb"}


def test_one_sense_has_one_kind():
    kinds = {}
    assert all(kinds.setdefault(one.sense, one.kind) == one.kind for one in everything())


def test_vocabulary_and_encoding_by_hand():
    texts = [("a", "dog", "barks"), ("a", "dog"), ("a", "cat")]
    words = senses.vocabulary(texts, 2)
    assert words == ("…", "|", "a", "dog")
    tokens, mask = senses.encode(texts, words)
    assert tokens.tolist() == [[1, 2, 3, 0, 1], [1, 2, 3, 1, 1], [1, 2, 0, 1, 1]]
    assert mask.tolist() == [[True] * 5, [True] * 4 + [False], [True] * 4 + [False]]
    assert mask.dtype == torch.bool
    with pytest.raises(ValueError, match="texts: got"):
        senses.encode([()], words)


def test_the_example_can_be_read():
    assert "OBJECTS" in senses.example().splitlines()[0]


def calls():
    return {
        senses.load: {"part": "validation"},
        senses.vocabulary: {"texts": [("a", "dog")], "least": 1},
        senses.encode: {"texts": [("a", "dog")], "vocabulary": ("…", "|", "a")},
        senses.example: {"part": "train"},
    }
