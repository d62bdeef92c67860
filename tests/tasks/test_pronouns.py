"""The deciding word says whom *it* stands for, in every frame, and pairs of the test are new."""

import pytest
import torch

from attend.tasks.pronouns import ANIMALS, CHASER, FRAMES, LENGTH, WORDS, encode, example, sample, spell


@pytest.mark.parametrize("part", ["train", "test"])
def test_the_referent_is_the_one_whom_the_word_fits(part):
    made = sample(300, part, torch.Generator().manual_seed(0))
    assert made.tokens.shape == (300, LENGTH)
    frames = set()
    for row, it, referent, other, clue in zip(*(field.tolist() for field in made), strict=True):
        words = [WORDS[token] for token in row]
        chaser_first = "catch" in words
        animals = [t for t, word in enumerate(words) if word in ANIMALS]
        chaser, chased = animals if chaser_first else animals[::-1]
        assert words[it] == "it"
        assert words[clue - 1] == "too"
        assert (referent, other) == ((chaser, chased) if words[clue] in CHASER else (chased, chaser))
        frames.add((chaser_first, it < referent))
    assert len(frames) == len(FRAMES)
    assert [WORDS[token] for token in made.at("referent")] == [
        WORDS[row[place]] for row, place in zip(made.tokens, made.referent, strict=True)
    ]


def test_pairs_of_the_test_never_meet_in_training():
    pairs = {}
    for part in ("train", "test"):
        made = sample(3_000, part, torch.Generator().manual_seed(1))
        both = zip(made.at("referent").tolist(), made.at("other").tolist(), strict=True)
        pairs[part] = {tuple(sorted(pair)) for pair in both}
    assert not pairs["train"] & pairs["test"]
    assert {animal for pair in pairs["train"] for animal in pair} == set(range(len(ANIMALS)))


def test_sentences_are_encoded_and_spelled():
    said = "the dog did not catch the cat because it was too tired"
    assert " ".join(spell(encode(said)[0])) == said
    words, answer = example(seed=2).split(" → ")
    assert answer in words.split()
    with pytest.raises(ValueError, match="sentence: got"):
        encode("the dog barks")


def calls():
    return {
        sample: {"batch": 2, "part": "test", "generator": torch.Generator()},
        sample(2).at: {"what": "it"},
        encode: {"sentence": "the dog"},
        spell: {"tokens": torch.tensor([0, 3])},
        example: {"seed": 0},
    }


def good():
    return {example: {"seed": {"zero"}}, spell: {"tokens": {"empty"}}}
