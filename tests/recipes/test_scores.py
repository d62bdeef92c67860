"""A short training is repeated by its seed and learns; factors change nothing but the temperature."""

import pytest
import torch

from attend.recipes.scores import FACTOR_PACE, FACTORS, HIDDEN, PACE, SCORERS, FactorRecipe, LookupRecipe
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


def test_every_score_and_every_factor_has_a_rate():
    assert set(PACE) == set(RELATIONS)
    assert all(set(paces) == set(SCORERS) for paces in PACE.values())
    assert set(FACTOR_PACE) == set(FACTORS)


def test_the_constant_adds_one_weight_for_each_hidden_unit():
    with_it, without = (
        sum(p.numel() for p in LookupRecipe(score, "shifted").build().parameters())
        for score in ("constant", "additive")
    )
    assert with_it - without == HIDDEN


def test_scores_begin_with_variance_1_and_are_multiplied_by_the_factor():
    one, many = (FactorRecipe(factor).build() for factor in (1.0, 256.0))
    query, keys, labels, _ = lookup.sample("shifted", 500, torch.Generator().manual_seed(0))
    query = torch.randn(query.shape, generator=torch.Generator().manual_seed(1))
    scores = one.score(query[:, None], keys)
    assert scores.std().item() == pytest.approx(1, rel=0.2)
    torch.testing.assert_close(many(query, keys, labels)[1], (256 * scores[:, 0]).softmax(dim=1))
