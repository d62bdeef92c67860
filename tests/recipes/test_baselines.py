import numpy as np
import pytest

from attend.recipes.baselines import NGram, WordCounts
from attend.recipes.plays import BURN_IN
from attend.tasks import plays, reviews


def by_hand(order, strength, text, train):
    """The bits per character of an n-gram model, counted character by character."""
    V, bits = len(plays.ALPHABET), []
    for i in range(BURN_IN, len(text)):
        prob = 1 / V
        for k in range(order):
            context, letter = text[i - k : i], text[i]
            after = [train[j + k] for j in range(len(train) - k) if train[j : j + k] == context]
            if after:
                weight = strength * len(set(after))
                prob = (after.count(letter) + weight * prob) / (len(after) + weight)
        bits.append(-np.log2(prob))
    return np.mean(bits)


def test_n_gram_agrees_with_counting_character_by_character(monkeypatch):
    short = {"train": plays.stream("train")[:3_000], "validation": plays.stream("validation")[:40]}
    monkeypatch.setattr(plays, "stream", lambda part: short[part])
    monkeypatch.setattr(plays, "pages", lambda part: short[part].view(1, -1))
    train, text = plays.spell(short["train"]), plays.spell(short["validation"])
    for order in (1, 3, 4):
        model = NGram(order)
        assert model.bits("validation") == pytest.approx(by_hand(order, model.strength, text, train))
        assert model.size == len({train[i : i + order] for i in range(len(train) - order + 1)})
        for strength in (0.5, 16.0):
            assert model.bits("validation") <= by_hand(order, strength, text, train) + 1e-9
    with pytest.raises(ValueError, match="order: got 9"):
        NGram(9)


@pytest.mark.nightly
def test_counted_words_are_better_than_chance_and_not_perfect():
    right = WordCounts(costs=(10.0,)).right("validation")
    assert len(right) == len(reviews.load("validation"))
    assert 0.78 < right.mean() < 0.9
