"""A short training is repeated by its seed and learns; starts differ in nothing but how large their scores begin."""

import pytest
import torch

from attend.recipes.scores import HIDDEN, PACE, SCORERS, WIDTH_PACE, WIDTHS, LookupRecipe, WidthRecipe
from attend.tasks import lookup
from attend.tasks.lookup import RELATIONS


def test_a_short_training_is_repeated_by_its_seed_and_learns():
    recipe = LookupRecipe("location", "place", steps=150, rate=0.03)
    one, two = (recipe.train() for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert recipe.accuracy(one) > 0.5 > recipe.accuracy(recipe.build())


def test_every_score_and_every_start_has_a_rate_under_every_relation_and_width():
    assert set(PACE) == set(RELATIONS)
    assert all(set(paces) == set(SCORERS) for paces in PACE.values())
    assert set(WIDTH_PACE) == set(WIDTHS)
    assert all(set(paces) == {"dot", "small", "scaled_dot"} for paces in WIDTH_PACE.values())


def test_the_constant_adds_one_weight_for_each_hidden_unit():
    with_it, without = (
        sum(p.numel() for p in LookupRecipe(score, "turned").build().parameters()) for score in ("constant", "additive")
    )
    assert with_it - without == HIDDEN


@pytest.mark.parametrize(("start", "variance"), [("dot", 256), ("small", 1), ("scaled_dot", 1)])
def test_scores_begin_with_the_variance_that_the_start_is_about(start, variance):
    model = WidthRecipe(start, 256).build()
    query, keys, *_ = lookup.sample("alike", 500, torch.Generator().manual_seed(0))
    query = torch.randn(query.shape, generator=torch.Generator().manual_seed(1))
    assert model.score(query[:, None], keys).var().item() == pytest.approx(variance, rel=0.25)
