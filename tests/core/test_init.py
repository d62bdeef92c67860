"""What initialisation draws: the range and spread that it says, again from the same seed, in place."""

import pytest
import torch
from torch import nn

from attend.core.init import embedding_, linear_


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def test_a_linear_layer_is_uniform_and_without_bias():
    layer = nn.Linear(25, 4_000)
    assert linear_(layer, draw()) is layer
    assert layer.weight.abs().max().item() == pytest.approx(0.2, rel=1e-3)
    assert layer.weight.std().item() == pytest.approx(0.2 / 3**0.5, rel=0.01)
    assert not layer.bias.any()
    assert torch.equal(linear_(nn.Linear(25, 4_000), draw()).weight, layer.weight)
    assert not torch.equal(linear_(nn.Linear(25, 4_000), draw(1)).weight, layer.weight)


def test_an_embedding_is_normal_with_its_standard_deviation():
    layer = nn.Embedding(2_000, 50)
    assert embedding_(layer, 0.1, draw()) is layer
    assert layer.weight.std().item() == pytest.approx(0.1, rel=0.01)
    assert layer.weight.mean().item() == pytest.approx(0, abs=1e-3)
    assert torch.equal(embedding_(nn.Embedding(2_000, 50), 0.1, draw()).weight, layer.weight)


def calls():
    return {
        linear_: {"layer": nn.Linear(3, 2), "generator": torch.Generator()},
        embedding_: {"layer": nn.Embedding(5, 2), "std": 0.5, "generator": torch.Generator()},
    }
