"""A short training is repeated by its seed and learns; starts differ in nothing but how far apart their scores are."""

import pytest
import torch

from attend.recipes.scores import HIDDEN, PACE, SCORERS, START_PACE, STARTS, LookupRecipe, StartRecipe
from attend.tasks import lookup
from attend.tasks.lookup import RELATIONS


def test_a_short_training_is_repeated_by_its_seed_and_learns():
    recipe = LookupRecipe("location", "place", steps=60, rate=0.03)
    one, two = (recipe.train() for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert recipe.accuracy(one) > 0.5 > recipe.accuracy(recipe.build())


def test_what_has_nothing_to_learn_is_left_as_it_is():
    recipe = LookupRecipe("dot", "alike")
    assert recipe.accuracy(recipe.train()) == recipe.accuracy(recipe.build()) > 0.9


def test_every_score_and_every_start_has_a_rate():
    assert set(PACE) == set(RELATIONS)
    assert all(set(paces) == set(SCORERS) for paces in PACE.values())
    assert set(START_PACE) == {False, True}
    assert all(set(paces) == set(STARTS) for paces in START_PACE.values())


def test_the_constant_adds_one_weight_for_each_hidden_unit():
    with_it, without = (
        sum(p.numel() for p in LookupRecipe(score, "turned").build().parameters()) for score in ("constant", "additive")
    )
    assert with_it - without == HIDDEN


@pytest.mark.parametrize("std", STARTS)
def test_scores_begin_as_far_apart_as_they_should_and_are_divided_again(std):
    model, divided = (StartRecipe(std, way).build() for way in (False, True))
    query, keys, *_ = lookup.sample("turned", 500, torch.Generator().manual_seed(0))
    query = torch.randn(query.shape, generator=torch.Generator().manual_seed(1))
    scores = model.score(query[:, None], keys)
    assert scores.std().item() == pytest.approx(std, rel=0.2)
    assert torch.equal(scores, divided.score(query[:, None], keys))
    assert (model.temperature, divided.temperature) == (1.0, std)
