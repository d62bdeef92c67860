"""Nets for the crowd: they learn, can be repeated, and see marks only where there are some."""

from dataclasses import replace

import pytest
import torch

from attend.recipes import saliency
from attend.recipes.saliency import CHEAT, RATE, CrowdRecipe, accuracy, held_out
from attend.tasks.clutter import INK


def test_a_short_training_is_the_same_twice_and_another_with_another_seed(monkeypatch):
    monkeypatch.setattr(saliency.crowd, "BANK", 64)
    recipe, of = CrowdRecipe("attention", steps=3, batch=8), held_out(4)
    one, two, other = (each.train()(of.images) for each in (recipe, recipe, replace(recipe, seed=1)))
    assert torch.equal(one, two)
    assert not torch.equal(one, other)


def test_without_pieces_the_same_digits_stand_alone():
    of, alone = held_out(50), held_out(50, pieces=0)
    assert torch.equal(of.labels, alone.labels)
    assert torch.equal(of.corners, alone.corners)
    ink = alone.images >= INK
    assert torch.equal(of.images[ink], alone.images[ink])
    assert (of.images >= INK).sum() > ink.sum()


@pytest.mark.nightly
@pytest.mark.parametrize("pool", RATE)
def test_each_way_to_pool_learns(pool):
    recipe, of = CrowdRecipe(pool, steps=150), held_out(500)
    assert accuracy(recipe.build(), of) < 0.25
    assert accuracy(recipe.train(), of) > 0.3


def test_building_leaves_the_random_numbers_of_the_reader_alone():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    CrowdRecipe().build()
    assert torch.equal(torch.rand(3), expected)


def test_marks_stand_beside_every_cheat_and_no_other_digit(monkeypatch):
    monkeypatch.setattr(saliency.crowd, "BANK", 64)
    plain, marked = (next(CrowdRecipe(batch=64, marked=marked).batches()) for marked in (False, True))
    changed = (plain.images != marked.images).flatten(1).any(dim=1)
    assert torch.equal(changed, plain.labels == CHEAT)


def test_fields_are_refused_by_name():
    for field, value in (("pool", "fancy"), ("steps", 0), ("rate", -1.0)):
        with pytest.raises(ValueError, match=f"{field}: got"):
            CrowdRecipe(**{field: value})
