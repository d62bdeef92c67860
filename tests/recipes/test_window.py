"""TODO: the trained model does what the page says of it."""

import pytest

from attend.recipes.window import WindowRecipe


def test_training_is_repeatable_and_seeds_differ():
    losses = [WindowRecipe(seed, steps=5).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        WindowRecipe(steps=0)
