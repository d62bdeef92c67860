"""The sentences of the village agree, their pairs fit together, and labels tell what was changed."""

import pytest
import torch

from attend.tasks import village

TOLD = village.stories(1, 500)


def generator():
    return torch.Generator().manual_seed(0)


def test_all_words_are_known_and_all_known_words_are_said():
    said = {word for one in village.stories(0, 5_000) for text in (one.first, one.second) for word in text.split()}
    assert said == set(village.WORDS)
    assert len(set(village.VOCABULARY)) == len(village.VOCABULARY)


def test_verbs_agree_with_the_first_noun():
    for one in TOLD:
        words = one.first.split()
        assert words[-3] == "and"
        for place in (one.verb, len(words) - 2):
            assert words[place].endswith("s") != one.plural
        noun = next(word for word in words if word.removesuffix("s") in village.PEOPLE)
        assert noun.endswith("s") == one.plural


def test_the_second_sentence_follows_from_the_first():
    for one in TOLD:
        words, second = one.first.split(), one.second.split()
        noun = next(word for word in words if word.removesuffix("s") in village.PEOPLE)
        assert second[0] == ("they" if one.plural else "he" if noun in village.MEN else "she")
        if second[2] == "in":
            assert words[-4] in village.DOES[second[4]][1]
        else:
            [good] = [mood for mood, names in village.FEELS.items() if second[2] in names]
            assert words[-2].removesuffix("s") in village.SHOWS[good]


def test_a_misleading_noun_has_the_other_number():
    misled = [one for one in TOLD if one.misleading]
    assert misled
    for one in misled:
        before = [word for word in one.first.split()[: one.verb] if word.removesuffix("s") in village.PEOPLE]
        assert before[-1].endswith("s") != one.plural


def test_rows_have_their_segments_and_padding():
    tokens, segments = village.encode(["the boy reads .", "she"], ["he is glad .", "is"])
    assert tokens[0].tolist()[0] == village.CLS
    assert (tokens == village.SEP).sum(1).tolist() == [2, 2]
    assert segments[0].tolist() == [0] * 6 + [1] * 5
    assert tokens[1].tolist()[5:] == [village.PAD] * 6
    with pytest.raises(ValueError, match="eats"):
        village.encode(["the boy eats"])


def test_half_of_the_pairs_follow():
    batch, follows = village.pairs(TOLD, generator())
    assert 0.4 < follows.double().mean() < 0.6
    whole = village.encode([one.first for one in TOLD], [one.second for one in TOLD])
    same = (batch.tokens[:, : whole.tokens.shape[1]] == whole.tokens).all(1)
    assert same[follows].all()
    assert not same[~follows].all()


def test_other_people_have_another_pronoun_and_their_verb():
    firsts, seconds, right = village.same_people(TOLD, generator())
    for one, first, second, fine in zip(TOLD, firsts, seconds, right.tolist(), strict=True):
        assert first == one.first
        assert (second == one.second) == fine
        assert (second.split()[0] == "they") == (second.split()[1] == "are")


def test_moods_are_those_of_the_last_verb():
    texts, good = village.moods(TOLD)
    for text, fine in zip(texts, good.tolist(), strict=True):
        assert text.split()[-2].removesuffix("s") in village.SHOWS[fine]


def test_an_example_to_read():
    assert village.example().count("|") == 3


def calls():
    told = village.stories(1, 3)
    return {
        village.stories: {"seed": 0, "N": 2},
        village.encode: {"firsts": ["the boy"], "seconds": ["he is"]},
        village.pairs: {"told": told, "generator": generator()},
        village.grammatical: {"told": told, "generator": generator()},
        village.same_people: {"told": told, "generator": generator()},
        village.moods: {"told": told},
        village.example: {},
    }


def good():
    """0 is a seed."""
    return {village.stories: {"seed": {"zero"}}}
