"""The taggers and the letters in gaps: equal weights, what each of them hears, and the weights of the package."""

import pytest
import torch

from attend.memory.elman import RNN
from attend.recipes.bidirectional import GAP_RATES, RATES, WAIT, GapRecipe, Late, PlacesRecipe, spoken


def size(recipe):
    return sum(p.numel() for p in recipe.build().parameters())


def test_both_sides_of_each_comparison_have_as_many_weights():
    assert {size(PlacesRecipe(kind)) for kind in RATES} == {8972, 8960}
    assert {kind: size(GapRecipe(kind)) for kind in GAP_RATES} == {"both": 49119, "left": 49281}


@pytest.mark.parametrize(("kind", "heard"), [("both", range(7)), ("left", range(3)), ("right", range(2, 7))])
def test_a_word_hears_its_side(kind, heard):
    model, of = PlacesRecipe(kind).build(), spoken("validation")
    row = (of.mask.sum(1) == 7).nonzero()[0]
    tokens, mask = of.tokens[row, :7], of.mask[row, :7]
    x = model.embed(tokens).detach().requires_grad_()
    model.encoder(x, mask=mask)[0][0, 2].sum().backward()
    assert x.grad[0].abs().sum(1).nonzero()[:, 0].tolist() == list(heard)


def test_a_late_answer_has_heard_a_few_words_more_and_no_padding():
    late = Late(RNN(2, 3), 2)
    x = torch.randn(1, 6, 2, requires_grad=True)
    hidden, _ = late(x, torch.tensor([[True] * 4 + [False] * 2]))
    assert hidden.shape == (1, 6, 3)
    hidden[0, 1].sum().backward(retain_graph=True)
    assert (x.grad[0].abs().sum(1) > 0).tolist() == [True] * 4 + [False] * 2
    assert WAIT == 5


def test_the_weights_that_came_with_the_package_place_digits():
    assert min(PlacesRecipe().measure(PlacesRecipe().load(), "validation").values()) > 0.99
    with pytest.raises(ValueError, match="kind: got 'left'"):
        PlacesRecipe("left").load()


@pytest.mark.nightly
@pytest.mark.parametrize("recipe", [PlacesRecipe, GapRecipe])
def test_a_few_steps_lower_the_cost(recipe):
    losses = []
    recipe(steps=25).train(callbacks=(lambda step: losses.append(step.loss),))
    assert sum(losses[-5:]) < 0.9 * sum(losses[:5])
