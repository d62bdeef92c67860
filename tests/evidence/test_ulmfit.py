"""What page ulmfit measures is what its sentences are about; who was not trained guesses."""

import pytest
import torch

from attend.evidence import ulmfit
from attend.recipes import ulmfit as recipes
from attend.transformers.ulmfit import TextClassifier


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    held = ulmfit.language, ulmfit.right
    for one in held:
        one.cache_clear()
    monkeypatch.setattr(recipes.LanguageModel, "train", lambda recipe, start=None: start or recipe.build().eval())
    monkeypatch.setattr(recipes.Classify, "train", lambda recipe, model: seeded(model))
    yield
    for one in held:
        one.cache_clear()


def seeded(model):
    torch.manual_seed(0)
    return TextClassifier(model).eval()


@pytest.mark.nightly
def test_untrained_networks_guess_and_counted_words_do_not():
    found = ulmfit.compared("opinion", 0)
    assert set(found) == {
        f"{side}, {n}" for side in ("ULMFiT", "from scratch", "counted words") for n in ("100", "400", "2,000")
    }
    assert all(0.4 < value < 0.6 for name, value in found.items() if not name.startswith("counted"))
    assert all(0.55 < value < 0.85 for name, value in found.items() if name.startswith("counted"))


@pytest.mark.nightly
def test_stages_differ_by_what_was_read(monkeypatch):
    seen = []
    monkeypatch.setattr(
        recipes.LanguageModel,
        "train",
        lambda recipe, start=None: seen.append((recipe.text, recipe.steps, start)) or recipe.build().eval(),
    )
    found = ulmfit.stages(0)
    stages = {"both stages", "no general text", "no film reviews", "neither"}
    assert set(found) == stages | {"no general text, 750 steps"}
    read = [(text, steps, start is None) for text, steps, start in seen]
    assert sorted(read) == [("films", 150, False), ("films", 150, True), ("films", 750, True)]


@pytest.mark.nightly
def test_both_ways_get_the_same_labels_and_steps(monkeypatch):
    seen = []

    def train(recipe, model):
        seen.append(recipe)
        return seeded(model)

    monkeypatch.setattr(recipes.Classify, "train", train)
    ulmfit.unfreezing(0)
    assert {(one.task, one.gradual) for one in seen} == {
        (task, way) for task in ("order", "opinion") for way in (True, False)
    }
    assert {(one.labels, one.steps, one.seed) for one in seen} == {(400, 240, 0)}
    assert all((one.decay == 2.6) == one.gradual for one in seen)


@pytest.mark.nightly
def test_a_frozen_network_is_read_off_by_more_than_chance():
    share, single = ulmfit.read_off(ulmfit.language("general", 0), "opinion", 0)
    assert 0.55 < share < 0.8
    assert 0.5 < single < share + 0.03
