"""What page elmo measures is what its sentences are about; a model that was trained on nothing knows nothing more."""

import numpy as np
import pytest
import torch

from attend.evidence import elmo
from attend.recipes.elmo import ElmoRecipe, with_random_lstms
from attend.tasks.senses import Example


def test_a_linear_classifier_is_judged_on_test_with_the_penalty_of_validation():
    torch.manual_seed(0)
    y = {part: np.arange(40) % 2 == 0 for part in elmo.PARTS}
    x = {part: torch.randn(40, 3) + 5 * torch.tensor(y[part])[:, None] for part in elmo.PARTS}
    assert elmo.right(x, y) == 1
    assert elmo.right(x, y | {"test": ~y["test"]}) == 0
    assert elmo.right(x, y, np.arange(40) < 4) == 1
    noise = {part: torch.randn(40, 3) for part in elmo.PARTS}
    assert 0.2 < elmo.right(noise, y) < 0.8


def test_side_by_side_holds_the_word_once():
    layers = torch.arange(24.0).view(3, 2, 4)
    assert elmo.side_by_side(layers).shape == (2, 10)
    assert elmo.side_by_side(layers)[0].tolist() == [0, 1, 8, 9, 10, 11, 16, 17, 18, 19]


def example(word, sense, kind):
    return Example((word,), 0, sense, kind)


def test_alike_by_hand():
    some = [example("a", 1, 4), example("a", 1, 4), example("a", 2, 5), example("b", 3, 4), example("a", 5, 30)]
    vectors = torch.tensor([[1.0, 0.1], [1.0, 0.2], [-1.0, 0.3], [0.0, 9.0], [-1.0, -9.0]])
    assert elmo.alike(vectors, some) == 1.0
    kinds = lambda one: (one.word, one.part_of_speech)  # noqa: E731
    assert elmo.alike(vectors[[0, 2, 1, 3, 4]], some, kinds) == 0.0
    two = [*some, example("c", 6, 4), example("c", 6, 4), example("c", 7, 4)]
    apart = torch.cat([vectors, torch.tensor([[1.0, 5.0], [-1.0, 5.0], [1.0, 5.1]])])
    assert elmo.alike(apart, two) == (1.0 + 0.0) / 2, "each spelling counts once"


@pytest.mark.nightly
def test_the_words_have_two_parts_of_speech():
    sets = elmo.two_parts_of_speech()
    assert [len(sets[part]) for part in elmo.PARTS] == [2_598, 334, 484]
    kinds = {}
    for one in (one for part in elmo.PARTS for one in sets[part]):
        kinds.setdefault(one.word, set()).add(one.part_of_speech)
    assert set(map(frozenset, kinds.values())) == {frozenset({"noun", "verb"})}
    assert len(kinds) == 488


@pytest.fixture
def untrained(monkeypatch):
    model = ElmoRecipe(7).build().eval().requires_grad_(False)
    monkeypatch.setattr(elmo, "models", lambda seed: elmo.Models(model, with_random_lstms(model, seed), model))
    for one in (elmo.noun_or_verb, elmo.kinds, elmo.pairs, elmo.films):
        one.cache_clear()
    yield
    for one in (elmo.noun_or_verb, elmo.kinds, elmo.pairs, elmo.films):
        one.cache_clear()


@pytest.mark.nightly
def test_who_was_trained_on_nothing_is_as_good_as_chance_lstms(untrained):
    found = elmo.training(0)
    for size in ("100", "500", "2,000"):
        assert found[f"ELMo, {size}"] == found[f"nothing trained, {size}"]
        assert abs(found[f"ELMo, {size}"] - found[f"random LSTMs, {size}"]) < 0.1
    assert found["word alone, 100"] < 0.65 < found["word and its neighbours, 2,000"]
