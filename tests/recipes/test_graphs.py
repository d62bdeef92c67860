import pytest
import torch

from attend.gating.graph_attention import edges_of
from attend.recipes import graphs
from attend.recipes.graphs import NETWORKS, PatchesRecipe
from attend.tasks import clutter, superpixels


@pytest.fixture
def few():
    return superpixels.graphs(clutter.canvases("validation", 5, torch.Generator().manual_seed(0), pieces=3))


def test_networks_have_about_as_many_weights_and_answer_for_every_patch(few):
    counts = []
    for network in NETWORKS:
        recipe = PatchesRecipe(network, rounds=2)
        model = recipe.build()
        counts.append(sum(p.numel() for p in model.parameters()))
        assert model(few.features, *recipe.hears(few)).shape == (*few.mask.shape, 2)
    assert max(counts) < 1.05 * min(counts)


def test_alone_nobody_is_heard_and_everyone_hears_all_but_padding(few):
    model = PatchesRecipe("alone").build()
    edges = edges_of(few.neighbours)
    torch.testing.assert_close(model(few.features, edges), model(few.features, ~edges))
    (everyone,) = PatchesRecipe("everyone").hears(few)
    assert (everyone.sum(dim=2)[few.mask] == few.mask.sum(dim=1).repeat_interleave(few.mask.sum(dim=1))).all()


def test_the_graph_lstm_goes_down(few):
    _, down = PatchesRecipe("lstm").hears(few)
    rows = few.features[..., superpixels.FEATURES.index("row")].gather(1, down)
    assert (rows.diff(dim=1)[few.mask.gather(1, down)[:, 1:]] >= 0).all()


@pytest.mark.nightly
def test_a_short_training_lowers_the_cost(monkeypatch):
    monkeypatch.setitem(graphs.CANVASES, "train", 60)
    losses = []
    PatchesRecipe("mean").train(callbacks=[lambda step: losses.append(step.loss)])
    assert sum(losses[-10:]) < sum(losses[:10])


def calls():
    return {graphs.patches: {"split": "validation"}}
