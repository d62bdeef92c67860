"""What a step costs: operations as a hand counts them, and bytes; on meta as with values."""

import pytest
import torch
from torch import nn

from attend.train import cost as costs
from attend.train.cost import cost, on_meta


def two_layers():
    return nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))


def loss(model, x):
    return model(x).sum()


def test_two_layers_are_counted_as_by_hand():
    found = cost(two_layers(), loss, torch.ones(5, 3))
    assert found.parameters == 3 * 4 + 4 + 4 * 2 + 2
    assert found.forward == 2 * 5 * (3 * 4 + 4 * 2)
    # Back: both layers' weights, and what the second hands on to the first.
    assert found.backward == 2 * 5 * (3 * 4 + 2 * 4 * 2)
    assert found.flops == found.forward + found.backward
    assert found.rule_of_thumb(5) == 6 * 26 * 5
    assert found.weights == found.last == found.gradients == 4 * 26
    assert found.adam == 2 * 4 * 26
    assert found.activations == 4 * (5 * 3 + 5 * 4), "the input, and the tanh that the second layer reads, once"
    assert found.memory == 5 * 4 * 26 + found.activations


def test_on_meta_nothing_is_made_and_the_count_is_the_same():
    model, x = on_meta(two_layers), on_meta(lambda: torch.ones(5, 3))
    assert x.device.type == model[0].weight.device.type == "meta"
    assert cost(model, loss, x) == cost(two_layers(), loss, torch.ones(5, 3))
    assert model[0].weight.grad is None


def test_what_is_frozen_is_no_parameter_and_tied_weights_count_once():
    model = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    model[1].weight = model[0].weight
    model[2].requires_grad_(False)
    found = cost(model, loss, torch.ones(1, 3))
    assert found.parameters == 9
    assert found.weights == 4 * 18
    assert found.last == 4 * 27, "fit copies the state dict, in which both names stand"


def test_a_weight_that_gets_no_gradient_is_named():
    model = two_layers()
    model.unused = nn.Parameter(torch.ones(1))
    with pytest.raises(ValueError, match="model: got no gradient of unused"):
        cost(model, lambda model, x: model[2](model[1](model[0](x))).sum(), torch.ones(5, 3))


def calls():
    return {
        costs.cost: lambda: {"model": two_layers(), "loss": loss, "batch": [torch.ones(5, 3)][0]},
        costs.on_meta: {"make": two_layers},
        cost(two_layers(), loss, torch.ones(5, 3)).rule_of_thumb: {"tokens": 5},
    }


def good():
    return {costs.cost: {"batch": {"none", "type", "dtype", "rank", "nonfinite", "empty", "width"}}}
