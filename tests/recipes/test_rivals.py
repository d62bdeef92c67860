import numpy as np
import pytest

from attend.recipes.plays import BURN_IN
from attend.recipes.rivals import LinearRival, NGram, word_for_word
from attend.tasks import numbers, plays


def by_hand(order, strength, text, train):
    """The perplexity of an n-gram model, counted letter by letter."""
    V, surprises = len(plays.ALPHABET), []
    for i in range(BURN_IN, len(text)):
        chance = 1 / V
        for k in range(order):
            context, letter = text[i - k : i], text[i]
            after = [train[j + k] for j in range(len(train) - k) if train[j : j + k] == context]
            if after:
                weight = strength * len(set(after))
                chance = (after.count(letter) + weight * chance) / (len(after) + weight)
        surprises.append(-np.log(chance))
    return np.exp(np.mean(surprises))


def test_n_gram_agrees_with_counting_letter_by_letter(monkeypatch):
    short = {"train": plays.stream("train")[:3_000], "validation": plays.stream("validation")[:40]}
    monkeypatch.setattr(plays, "stream", lambda part: short[part])
    monkeypatch.setattr(plays, "pages", lambda part: short[part].view(1, -1))
    train, text = plays.spell(short["train"]), plays.spell(short["validation"])
    for order in (1, 3, 4):
        model = NGram(order)
        assert model.measure("validation") == pytest.approx(by_hand(order, model.strength, text, train))
        for strength in (0.5, 16.0):
            assert model.measure("validation") <= by_hand(order, strength, text, train) + 1e-9


def test_a_longer_context_helps_up_to_a_point():
    values = [NGram(order).measure("validation") for order in (1, 2, 3)]
    assert values == sorted(values, reverse=True)
    with pytest.raises(ValueError, match="order: got 9"):
        NGram(9)


def test_the_linear_rival_is_better_than_chance_and_not_perfect():
    assert 0.78 < LinearRival(costs=(10.0,)).measure("validation") < 0.9


def test_word_for_word_is_right_exactly_where_nothing_changes_places():
    assert word_for_word(42) == ("vier", "zig", "zwei")
    assert word_for_word(3_101) == numbers.german(3_101) == ("drei", "tausend", "ein", "hundert", "eins")
    right = [word_for_word(n) == numbers.german(n) for n in range(0, 10_000, 11)]
    crossed = [n % 100 > 20 and n % 10 > 0 for n in range(0, 10_000, 11)]
    assert right == [not c for c in crossed]
