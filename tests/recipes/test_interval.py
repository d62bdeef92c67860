"""The networks of the page on counting entrances: their sizes, and that they learn the same twice."""

import pytest

from attend.recipes.interval import IntervalRecipe


@pytest.mark.parametrize(("kind", "weights"), [("relu", 1_633), ("tanh", 1_633), ("small", 36)])
def test_each_has_its_weights(kind, weights):
    assert sum(p.numel() for p in IntervalRecipe(kind).build().parameters()) == weights


def test_counting_is_learned_and_can_be_repeated():
    recipe = IntervalRecipe(seed=3, steps=20)
    found = [recipe.exact(recipe.train()) for _ in range(2)]
    assert found[0] == found[1] > recipe.exact(recipe.build())
