import pytest
import torch

from attend.recipes.reviews import ReviewsRecipe


@pytest.mark.nightly
def test_a_few_steps_already_learn_something():
    recipe = ReviewsRecipe(V=800, D=8, H=8, steps=60, learning_rate=2e-2, hide=0.2)
    model, history = recipe.train()
    assert len(history.losses) == 60
    before, after = (recipe.right(one, "validation").double().mean() for one in (recipe.build(), model))
    assert after > before + 0.08
    again, _ = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


def test_the_weights_that_come_with_the_package():
    recipe = ReviewsRecipe()
    assert recipe.right(recipe.load(), "validation").double().mean() > 0.75
    assert len(recipe.words()) == recipe.V
    assert recipe.words()[0] == "…"
