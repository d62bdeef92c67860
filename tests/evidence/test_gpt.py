"""What page gpt measures is what its sentences are about; who was not trained guesses."""

import pytest
import torch

from attend.evidence import gpt
from attend.recipes import gpt as recipes
from attend.recipes import gpt_sizes
from attend.transformers.gpt import Classifier


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    held = gpt.right, gpt.loss
    for one in held:
        one.cache_clear()
    monkeypatch.setattr(recipes.Capacity, "train", lambda recipe: recipe.build().eval())
    monkeypatch.setattr(
        recipes.FineTune, "train", lambda recipe, gpt=None: Classifier(gpt or recipes.GPTRecipe().build())
    )
    short = tuple(part[:60] for part in recipes.rated("test"))
    monkeypatch.setattr(recipes, "rated", lambda part: short if part == "test" else RATED(part))
    monkeypatch.setattr(gpt, "plays_nats", lambda model, part: recipes.plays_nats(model, part, 2))
    yield
    for one in held:
        one.cache_clear()


RATED = recipes.rated


@pytest.mark.nightly
@pytest.mark.parametrize("claim", [gpt.transfer, gpt.auxiliary, gpt.counted], ids=["transfer", "auxiliary", "counted"])
def test_an_untrained_network_calls_all_reviews_alike(claim):
    share = {round(float((recipes.rated("test")[2] == kind).double().mean()), 6) for kind in (0, 1)}
    found = claim(0)
    assert all(round(value, 6) in share for name, value in found.items() if not name.startswith("counted"))
    assert all(0.5 < value < 0.85 for name, value in found.items() if name.startswith("counted"))


@pytest.mark.nightly
def test_untrained_models_of_every_size_are_near_a_blind_guess():
    found = gpt.capacity(0)
    assert all(3.9 < value < 5.5 for name, value in found.items() if name.startswith("width"))
    lost = gpt.text(0)
    assert lost["width 16 loses"] == lost["width 64 loses"] == 0


@pytest.mark.nightly
def test_sizes_are_as_the_page_says():
    assert [gpt_sizes.weights(width) for width in recipes.WIDTHS] == [2_264, 7_600, 27_488, 104_128, 404_864]
    assert gpt.slope(8, 32, 1) == pytest.approx(
        (gpt.loss(8, 1, 1) - gpt.loss(32, 1, 1)) / torch.tensor(27_488 / 2_264).log10().item()
    )
