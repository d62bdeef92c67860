"""The networks of the page on the clockwork RNN: sizes, the weights that came with the package, a short training."""

import pytest
import torch

from attend.recipes.clockwork import NETWORKS, RecallRecipe, WaveRecipe, weights


@pytest.mark.parametrize(("network", "count"), [("clockwork", 487), ("rnn", 505), ("lstm", 491), ("lstm_5", 491)])
def test_who_says_the_wave_has_so_many_weights(network, count):
    assert weights(WaveRecipe(network).build()) == count


def test_who_recalls_has_about_1700_weights():
    assert [weights(RecallRecipe(network).build().layer) for network in NETWORKS] == [1_540, 1_728, 1_705, 1_600]


def test_the_weights_that_count_are_those_that_a_gradient_reaches():
    torch.manual_seed(0)
    model = RecallRecipe().build()
    model(torch.randn(50, 130, 8)).square().sum().backward()
    assert sum(int((p.grad != 0).sum()) for p in model.parameters()) == weights(model)


def test_the_weights_that_came_with_the_package_say_the_wave():
    recipe = WaveRecipe()
    assert recipe.error(recipe.load()) < 0.005


def test_a_short_training_can_be_repeated_and_learns():
    errors = [WaveRecipe(steps=steps) for steps in (1, 8, 8)]
    errors = [recipe.error(recipe.train()) for recipe in errors]
    assert errors[0] > errors[1] == errors[2]


@pytest.mark.parametrize("anywhere", [False, True])
def test_the_key_comes_at_step_0_or_at_any_step(anywhere):
    recipe = RecallRecipe("lstm", anywhere, steps=1)
    right, at = recipe.right(recipe.train(), 500)
    assert right.shape == at.shape == (500,)
    assert at.max() == (15 if anywhere else 0)
