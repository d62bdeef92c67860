import pytest
import torch

from attend.recipes.hierarchical import KINDS, DialogueRecipe, build
from attend.recipes.hierarchical_figure import STEPS, recipe, trained


def test_all_models_have_as_good_as_equally_many_weights():
    counts = [sum(p.numel() for p in build(kind).parameters()) for kind in KINDS]
    assert max(counts) < 1.03 * min(counts)


@pytest.mark.parametrize("kind", KINDS)
def test_training_is_repeatable_and_learns(kind):
    losses = []
    short = DialogueRecipe(kind, steps=3, batch=4)
    one, other = (short.train(callbacks=[lambda step: losses.append(step.loss)]) for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert losses[2] < losses[0]


@pytest.mark.parametrize("kind", STEPS)
def test_the_weights_that_come_with_the_package_answer(kind):
    assert all(recipe(kind).accuracy(trained(kind), back, count=200) > 0.9 for back in (1, 2, 3))
