"""The networks of the page on the vanilla RNN: their sizes, what they see, and that they learn."""

import pytest
import torch

from attend.recipes.elman import WINDOW, HoldRecipe, Linear, SwitchRecipe


@pytest.mark.parametrize(("network", "weights"), [("rnn", 89), ("linear", 89), ("window", 1_409)])
def test_each_has_its_weights(network, weights):
    assert sum(p.numel() for p in SwitchRecipe(network).build().parameters()) == weights


def test_the_window_sees_so_many_inputs_and_no_later_one():
    model, x = SwitchRecipe("window").build(), torch.zeros(1, 60, 1)
    changed = x.clone()
    changed[0, 30] = 1
    differs = (model(changed) != model(x))[0].nonzero()[:, 0].tolist()
    assert differs == list(range(30, 30 + WINDOW))


def test_without_tanh_twice_the_input_gives_twice_the_state():
    torch.manual_seed(0)
    layer, x = Linear(2, 3), torch.randn(4, 7, 2)
    torch.testing.assert_close(layer(2 * x)[0], 2 * layer(x)[0])


@pytest.mark.nightly
def test_the_switch_is_learned_and_can_be_repeated():
    recipe = SwitchRecipe(seed=3, steps=60)
    found = [recipe.judged(recipe.train(), 50)[0].float().mean().item() for _ in range(2)]
    assert found[0] == found[1] > 0.8


def test_what_is_explained_is_one_for_the_numbers_themselves():
    recipe = HoldRecipe(steps=2)
    assert recipe.explained(recipe.train(), 0, 10) < 0.5
    assert recipe.explained(lambda x: _held(x), 0, 10) == pytest.approx(1)


def _held(x):
    held, last = [], torch.zeros(len(x))
    for number, take in zip(x[:, :, 0].unbind(1), x[:, :, 1].unbind(1), strict=True):
        last = torch.where(take == 1, number, last)
        held.append(last)
    return torch.stack(held, dim=1)
