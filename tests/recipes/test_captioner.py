from dataclasses import replace

import pytest
import torch

from attend.recipes import captioner
from attend.recipes.captioner import CONVS, SEEDS, CaptionerRecipe, averages, held_out, judge, measured, writers
from attend.tasks import scenes


@pytest.fixture
def short(monkeypatch):
    """A pool of 128 scenes."""
    monkeypatch.setattr(captioner, "POOL", 128)
    captioner.pool.cache_clear()
    yield
    captioner.pool.cache_clear()


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_the_captioners_that_came_along_do_what_was_recorded(kind):
    judged, recorded = judge(CaptionerRecipe(kind).load(), held_out()), measured()[kind]
    for what in ("exact", "weight", "hit"):
        assert judged[what] == pytest.approx(recorded[what][0], abs=0.01)
    assert judged["misread"] == pytest.approx(recorded["misread"][0], abs=0.05)


def test_both_share_one_conv_net():
    soft, hard = (CaptionerRecipe(kind).load().state_dict() for kind in ("soft", "hard"))
    assert len(captioner.encoder()) == 2 * len(CONVS)
    for name in captioner.encoder():
        assert torch.equal(soft[name], hard[name])
    assert not torch.equal(soft["readout.weight"], hard["readout.weight"])


@pytest.mark.parametrize("kind", ["soft", "hard", "mean"])
def test_a_short_training_is_the_same_twice_and_leaves_the_conv_net_alone(kind, short):
    recipe = CaptionerRecipe(kind, steps=6, batch=16)
    (one, history), (two, again) = recipe.train(), recipe.train()
    assert history.losses == again.losses
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    for name, weights in captioner.encoder().items():
        assert torch.equal(one.get_parameter(name), weights)
    assert not torch.equal(one.readout.weight, recipe.build().readout.weight)


def test_a_push_to_spread_changes_the_training(short):
    recipe = CaptionerRecipe(steps=6, batch=16)
    losses = [replace(recipe, doubly=weight).train()[1].losses for weight in (0.0, 0.5)]
    assert losses[1][0] > losses[0][0]


def test_a_baseline_changes_how_hard_looks_are_taught_and_is_that_of_the_batches_before(short):
    recipe = CaptionerRecipe("hard", steps=4, batch=16)
    helped, alone = (replace(recipe, baseline=baseline).train()[1].losses for baseline in (True, False))
    assert helped != alone
    charge = captioner.Charge(recipe, 4)
    first, second = torch.full((2, scenes.LENGTH), -3.0), torch.full((2, scenes.LENGTH), -1.0)
    assert charge._moved(first).eq(-3).all()
    torch.testing.assert_close(charge._moved(second), torch.full((scenes.LENGTH,), -3.0))
    torch.testing.assert_close(charge._moved(second), torch.full((scenes.LENGTH,), -2.8))


def test_the_conv_net_speaks_in_a_voice_of_size_one(short):
    maps, captions = captioner.pool()
    assert maps.shape == (128, 48, 3, 3)
    assert captions.shape == (128, scenes.LENGTH)
    model, of = CaptionerRecipe().load(), scenes.sheets("train", 200, torch.Generator().manual_seed(1))
    assert model.feature_maps(of.images).relu().square().mean().sqrt() == pytest.approx(1, rel=0.1)


def test_the_conv_net_is_taught_the_same_twice(monkeypatch):
    monkeypatch.setattr(captioner, "SHEETS", 3)
    (one, right), (two, again) = captioner.train_encoder(), captioner.train_encoder()
    assert right == again
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


def test_a_captioner_that_knows_nothing_is_judged_so():
    judged = judge(CaptionerRecipe("hard").build(), held_out(100))
    assert judged["exact"] == judged["exact, drawn"] == 0
    assert judged["weight"] == pytest.approx(1 / 9, abs=0.1)


def test_a_name_is_misread_where_it_is_wrong_under_a_look_at_its_cell():
    model, of = CaptionerRecipe("mean").build(), held_out(100)
    first = (of.cells[of.cells != scenes.NOWHERE] == 0).double().mean().item()
    assert judge(model, of)["misread"] == pytest.approx(first)


def test_averages_of_looks_come_closer_with_more_draws():
    found = averages(CaptionerRecipe("soft").load(), held_out(100))
    assert found["100"] < found["10"] < found["1"]
    assert 0 <= found["nwgm"] < 1
    assert found["spread"] > 0


def test_every_writer_was_measured_with_three_seeds():
    of = measured()
    assert set(of) == {*writers(0), "conv", "averages, soft", "averages, hard", "torch"}
    for name, runs in of.items():
        if name not in ("conv", "torch"):
            assert {len(values) for values in runs.values()} == {len(SEEDS)}
            assert None not in [value for values in runs.values() for value in values]
