from dataclasses import replace

import pytest
import torch

from attend.recipes import saliency
from attend.recipes.saliency import KINDS, SEEDS, CrowdRecipe, held_out, measured, redrawn, right, tensors


@pytest.mark.parametrize("kind", KINDS)
def test_the_nets_that_came_along_do_what_was_recorded(kind):
    of = held_out(2_000)
    for seed in SEEDS:
        assert right(CrowdRecipe(kind, seed).load(), of) == pytest.approx(measured()[kind]["right"][seed], abs=0.003)


@pytest.mark.parametrize("kind", KINDS)
def test_a_short_training_is_the_same_twice_and_lowers_the_cost(kind, monkeypatch):
    monkeypatch.setattr(saliency.crowd, "BANK", 64)
    recipe = replace(CrowdRecipe(kind), steps=20, batch=4)
    (one, history), (two, again) = recipe.train(), recipe.train()
    assert history.losses == again.losses
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    assert replace(recipe, seed=1).train()[1].losses != history.losses


def test_building_leaves_the_random_numbers_of_the_reader_alone():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    for kind in KINDS:
        CrowdRecipe(kind).build()
    assert torch.equal(torch.rand(3), expected)


def test_only_the_named_layers_are_drawn_anew():
    net = CrowdRecipe().load()
    for layers in [(), (3,), (2, 3), (1, 2, 3)]:
        fresh = redrawn(net, layers, seed=5)
        for name, value in net.state_dict().items():
            assert torch.equal(value, fresh.state_dict()[name]) == (int(name[4]) not in layers)


def test_tensors_hold_all_weights_of_both_nets():
    plain, reading = (CrowdRecipe(kind).build() for kind in KINDS)
    found = tensors(plain, reading)
    assert len(found) == len(plain.state_dict()) + len(reading.state_dict())
    assert torch.equal(found["reading_readout_bias"], reading.readout.bias)
    assert sum(p.numel() for p in plain.parameters()) == 13_682
    assert sum(p.numel() for p in reading.parameters()) == 5_306


def test_an_unknown_kind_is_refused():
    with pytest.raises(ValueError, match="kind: got 'fancy'"):
        CrowdRecipe("fancy").build()
