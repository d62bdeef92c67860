import pytest
import torch

from attend.recipes.numbers import LONG, NumbersRecipe
from attend.tasks import numbers


@pytest.mark.nightly
def test_a_few_steps_already_learn_something():
    recipe = NumbersRecipe(digits=2, H=48, steps=150, learning_rate=1e-2)
    model, history = recipe.train()
    assert len(history.losses) == 150
    assert recipe.measure(model, "train") > 0.8
    again, _ = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


def test_the_weights_that_come_with_the_package():
    pairs = numbers.encode(numbers.numbers("validation", 4, 200))
    model = LONG.load()
    right = LONG.exact(model, pairs)
    assert right.double().mean() > 0.9
    written = model.generate(pairs.source, pairs.mask, pairs.target.shape[1])
    for row in range(20):
        assert (numbers.spell(written[row]) == numbers.spell(pairs.target[row])) == bool(right[row])


def test_the_long_recipe_knows_long_numbers():
    pairs = numbers.encode((123_456_789, 7))
    with torch.no_grad():
        logits = LONG.load()(pairs.source, pairs.mask, pairs.target)
    assert logits.shape == (*pairs.target.shape, len(numbers.GERMAN))
