from dataclasses import replace

import pytest
import torch

from attend.recipes import grid_lstm
from attend.recipes.grid_lstm import FILES, SEEDS, WIDTHS, GridRecipe, RowTagger, guess, load_results, measure, unseen
from attend.tasks import clutter


@pytest.mark.parametrize("kind", FILES)
def test_the_taggers_that_came_along_do_what_was_recorded(kind):
    tagger, found = GridRecipe(kind).load(), load_results()[kind][0]
    of = unseen()
    assert clutter.f1(guess(tagger, of.images), of.labels) == pytest.approx(found["test"], abs=0.005)


def test_a_tagger_that_did_not_come_along_is_refused():
    with pytest.raises(ValueError, match=r"kind: got 'strips' .*, expected plane or rows"):
        GridRecipe("strips").load()


def test_the_record_holds_every_seed_of_each_tagger():
    results = load_results()
    for kind in WIDTHS:
        assert len(results[kind]) == len(SEEDS[kind])
        weights = sum(p.numel() for p in GridRecipe(kind).build().parameters())
        assert {run["weights"] for run in results[kind]} == {weights}
    of = unseen()
    assert results["all ink"] == pytest.approx(clutter.f1(torch.where(of.labels < 2, 0, 2), of.labels), abs=1e-4)


def test_plane_and_rows_have_equally_many_weights():
    plane, rows = (sum(p.numel() for p in GridRecipe(kind).build().parameters()) for kind in ("plane", "rows"))
    assert rows == pytest.approx(plane, rel=0.01)


@pytest.mark.parametrize("kind", WIDTHS)
def test_what_a_pixel_is_named_depends_on_what_the_tagger_can_see(kind):
    model = GridRecipe(kind).build()
    images = torch.rand(1, 30, 30, generator=torch.Generator().manual_seed(0)).requires_grad_()
    model(images)[0, 16, 4].sum().backward()
    seen = images.grad[0] != 0
    assert seen[15:18].all()
    assert seen.all() == (kind != "rows")
    assert seen[:15].any() == (kind != "rows")


@pytest.mark.parametrize("kind", ["rows", "strips"])
def test_the_rivals_answer_each_block_at_its_own_place(kind):
    model = RowTagger(kind, 4)
    with torch.no_grad():
        model.readout.weight.zero_()
        model.readout.bias.copy_(torch.arange(len(model.readout.bias)).float() % 27)
    scores = model(torch.rand(1, 30, 30))
    assert scores[0, 9, 12].tolist() == [0, 1, 2]
    assert scores[0, 9, 13].tolist() == [3, 4, 5]
    assert scores[0, 10, 12].tolist() == [9, 10, 11]


@pytest.mark.nightly
def test_a_short_training_is_the_same_twice_and_lowers_the_cost():
    recipe = replace(GridRecipe(), steps=25, batch=8)
    (one, history), (two, _) = recipe.train(), recipe.train()
    assert sum(history.losses[-5:]) < 0.8 * sum(history.losses[:5])
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


def test_measure_names_every_condition(monkeypatch):
    monkeypatch.setattr(grid_lstm, "unseen", lambda count, pieces, width: unseen(4, pieces, width))
    plane = GridRecipe().load()
    assert measure(plane, larger=True).keys() == {"test", "crowded", "large"}
    assert all(0 < value <= 1 for value in measure(plane, larger=False).values())
