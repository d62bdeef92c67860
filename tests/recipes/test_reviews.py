import torch

from attend.recipes.reviews import ReviewsRecipe
from attend.tasks import reviews


def test_a_few_steps_already_learn_something():
    recipe = ReviewsRecipe(V=800, D=8, H=8, steps=60, learning_rate=2e-2, hide=0.2)
    model, history = recipe.train()
    assert len(history.losses) == 60
    assert recipe.measure(model, "validation") > recipe.measure(recipe.build(), "validation") + 0.08
    again, _ = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


def test_the_weights_that_come_with_the_package():
    recipe = ReviewsRecipe()
    assert recipe.measure(recipe.load(), "validation") > 0.75
    assert len(recipe.words()) == recipe.V
    assert recipe.words()[0] == "…"


@torch.no_grad()
def test_not_turns_good():
    recipe = ReviewsRecipe()
    reading = recipe.load()(*reviews.encode(["good", "not good"], recipe.words()))
    good, not_good = reading.logit.sigmoid().tolist()
    assert good > 0.9
    assert not_good < 0.5
