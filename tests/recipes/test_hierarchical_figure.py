"""The models of the live figure: what they are trained on, and the weights that came with the package."""

import pytest

from attend.recipes.hierarchical_figure import STEPS, recipe, tensors, trained


@pytest.mark.parametrize("kind", STEPS)
def test_the_weights_are_of_the_recipe_and_answer_from_any_turn(kind):
    one, model = recipe(kind), trained(kind)
    assert (one.steps, one.back) == (STEPS[kind], None)
    assert min(one.accuracy(model, back) for back in (1, 2)) > 0.9


def test_each_tensor_has_a_name_of_the_figure_s():
    model = trained("hred")
    named = tensors(model)
    assert named["words"] is model.embed.weight
    assert len(named) == len(list(model.parameters()))
