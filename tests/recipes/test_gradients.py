"""Training over a lag is thrown off without clipping, learns with it, and needs none over a short lag."""

import pytest

from attend.recipes.gradients import RecallRecipe
from attend.tasks.recall import KNOWS_NOTHING, KNOWS_THE_SIGN


def test_before_training_it_knows_nothing():
    recipe = RecallRecipe()
    assert recipe.judge(recipe.build()) == pytest.approx(KNOWS_NOTHING, abs=0.02)


@pytest.mark.nightly
@pytest.mark.slow
def test_clipping_decides():
    clipped, free, short = RecallRecipe(seed=7), RecallRecipe(seed=7, clip=None), RecallRecipe(seed=7, clip=None, lag=1)
    assert clipped.judge(clipped.train()[0]) < 0.04
    assert free.judge(free.train()[0]) > 0.9 * KNOWS_THE_SIGN
    assert short.judge(short.train()[0]) < 0.01


def test_the_same_seed_trains_to_the_same_weights():
    one, two = (RecallRecipe(steps=5).train()[1].losses for _ in range(2))
    assert one == two
