"""Training is repeatable, a shuffle is another training, and what does not fit is refused by name."""

import pytest
import torch

from attend.recipes.priors import CardsRecipe, RecallRecipe, build, recalled, shuffle


def first(model):
    return torch.cat([p.flatten() for p in model.parameters()])


def test_training_is_repeatable_and_seeds_and_orders_differ():
    same = [first(CardsRecipe(steps=3, seed=seed).train()) for seed in (0, 0, 1)]
    assert torch.equal(same[0], same[1])
    assert not torch.equal(same[0], same[2])
    assert not torch.equal(same[0], first(CardsRecipe(steps=3, shuffled=True).train()))


@pytest.mark.parametrize("kind", ["GRU", "GRU, chrono", "attention"])
def test_those_who_recall_have_as_many_weights_and_guess_at_first(kind):
    model = RecallRecipe(kind, lag=5, steps=1).train()
    assert first(model).numel() == pytest.approx(4_636, abs=10)
    assert 0 <= recalled(model, 5) < 0.7


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        CardsRecipe(steps=0)
    with pytest.raises(ValueError, match="kind: got"):
        RecallRecipe("LSTM")


def calls():
    return {
        build: {"kind": "dense", "seed": 0},
        shuffle: {"x": torch.randn(2, 17, 17)},
        recalled: {"model": RecallRecipe(lag=2, steps=1).train(), "lag": 4, "rows": 5},
    }


def good():
    return {build: {"seed": {"zero"}}}
