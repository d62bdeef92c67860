from dataclasses import replace

import pytest
import torch

from attend.recipes.graph_lstm import SEEDS, TRIED, GraphRecipe, NodeRecipe, load_results, measure, patches, some
from attend.tasks import clutter
from attend.tasks.superpixels import accuracy, graphs


@pytest.fixture(scope="module")
def alone():
    return NodeRecipe().load()


@pytest.mark.nightly
def test_what_came_along_does_what_was_recorded(alone):
    results = load_results()
    assert accuracy(alone(patches("test").features), patches("test")) == pytest.approx(results["alone"][0], abs=0.005)
    found = measure(GraphRecipe().load(), GraphRecipe(), alone)
    assert found == pytest.approx(results["confidence 2"][0]["test"], abs=0.005)


@pytest.mark.nightly
def test_the_record_holds_three_seeds_of_each_order():
    results = load_results()
    for order, passes in TRIED:
        assert len(results[f"{order} {passes}"]) == len(SEEDS)
    labels = patches("test").labels[patches("test").mask]
    share = (labels == 0).double().mean().item()
    assert results["larger class"] == pytest.approx(max(share, 1 - share), abs=1e-4)


def test_both_nets_have_equally_many_weights():
    one, other = (sum(p.numel() for p in recipe.build().parameters()) for recipe in (NodeRecipe(), GraphRecipe()))
    assert one == pytest.approx(other, rel=0.02)


@pytest.mark.parametrize("order", ["confidence", "random", "reading"])
def test_every_order_visits_each_patch_once_and_empty_places_last(order, alone):
    of = graphs(clutter.canvases("validation", 5, torch.Generator().manual_seed(0), pieces=3))
    visits = GraphRecipe(order).visits(of, alone)
    assert torch.equal(visits.sort(dim=1).values, torch.arange(visits.shape[1]).expand_as(visits))
    there = of.mask.gather(1, visits).int()
    assert (there.diff(dim=1) <= 0).all()
    if order == "reading":
        rows = of.features[..., 5].gather(1, visits)
        assert (rows.diff(dim=1)[there[:, 1:].bool()] >= 0).all()
    if order == "confidence":
        sure = alone(of.features).softmax(-1).amax(-1).gather(1, visits)
        assert (sure.diff(dim=1)[there[:, 1:].bool()] <= 0).all()


@pytest.mark.nightly
def test_a_random_order_is_its_seeds_own(alone):
    of = patches("validation")
    one, again, other = (GraphRecipe("random", seed).visits(of, alone) for seed in (0, 0, 1))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


@pytest.mark.nightly
def test_a_short_training_is_the_same_twice_and_lowers_the_cost(alone):
    recipe = replace(GraphRecipe(), steps=10, batch=8)
    (one, history), (two, _) = recipe.train(alone), recipe.train(alone)
    assert sum(history.losses[-3:]) < sum(history.losses[:3])
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


def test_some_graphs_keep_what_belongs_together():
    of, rows = patches("validation"), torch.tensor([7, 3])
    kept = some(of, rows)
    assert torch.equal(kept.features[1], of.features[3])
    assert torch.equal(kept.neighbours[0], of.neighbours[7])
