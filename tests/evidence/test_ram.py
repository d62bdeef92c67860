"""What the page on RAM measures is what its sentences are about."""

import pytest
import torch

from attend.evidence import ram
from attend.recipes.ram import ConvRecipe, SignRecipe, WideRecipe, medium, small
from attend.tasks import signs


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    canvases = signs.canvases
    monkeypatch.setattr(signs, "canvases", lambda split, count, *rest, **more: canvases(split, 60, *rest, **more))
    for recipe in (SignRecipe, WideRecipe, ConvRecipe):
        monkeypatch.setattr(recipe, "train", lambda recipe: recipe.build().requires_grad_(False).eval())
    caches = ram.trained, small, medium
    for one in caches:
        one.cache_clear()
    yield
    for one in caches:
        one.cache_clear()


def test_untrained_models_guess_and_stay_where_they_begin():
    found = ram.chosen(0)
    assert found["chosen"] == found["chosen, glimpse 3"] == found["size 1"] < 0.6
    assert found["pixels away, chosen"] == pytest.approx(found["away, chosen, glimpse 1"], abs=1.5)
    assert found["pixels away, random"] > found["away, random, glimpse 1"]
    for name, wanted in (("whole", 8), ("randomness", 3)):
        values = getattr(ram, name)(0)
        assert len(values) == wanted
        assert all(0 <= value < 0.7 for value in values.values())


def test_multiplications_are_those_of_the_layers():
    a_glimpse = 432 * 64 + 2 * 16 + 80 * 64 + 2 * 64 * 64 + 5 * 64
    assert ram.numbers(48) == 4 * a_glimpse
    assert ram.numbers(512) == 4 * (a_glimpse + 4 * 144 * 64)
    assert ram.multiplications(torch.nn.Linear(3, 5), torch.zeros(2, 3)) == 30
