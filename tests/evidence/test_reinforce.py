"""What page reinforce measures is what its sentences are about."""

from dataclasses import replace

import pytest

from attend import evidence
from attend.evidence import reinforce
from attend.recipes.reinforce import StreetRecipe


@pytest.fixture(autouse=True)
def few_draws(monkeypatch):
    monkeypatch.setattr(reinforce, "DRAWS", 40)


def test_the_variance_is_of_where_to_look_and_falls_with_the_batch():
    recipe = StreetRecipe(windows=4)
    model, photo = recipe.build(), recipe.judging("validation")
    few, many = (reinforce.variance(recipe, model, type(photo)(*(part[:n] for part in photo))) for n in (20, 200))
    assert few - many == pytest.approx(1, abs=0.35)  # of a mean of ten times as many photos
    assert reinforce.variance(replace(recipe, gradient="every window"), model, photo) < -12


def test_an_entropy_term_changes_no_variance_of_one_model():
    recipe = StreetRecipe(windows=4)
    model, photo = recipe.build(), reinforce._photos(recipe)
    with_term = reinforce.variance(replace(recipe, entropy=0.1), model, photo)
    assert with_term == pytest.approx(reinforce.variance(recipe, model, photo), abs=1e-4)


def test_shares_are_shares_and_steps_are_steps():
    for values in evidence.values("reinforce.scale").values():
        assert all(0 <= value <= 1 for value in values)
    for values in evidence.values("reinforce.offset").values():
        assert all(value % 10 == 0 and 10 <= value <= 600 for value in values)
