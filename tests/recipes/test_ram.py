from dataclasses import replace
from itertools import islice

import pytest
import torch

from attend.recipes import ram
from attend.recipes.ram import (
    KINDS,
    REACH,
    SEEDS,
    STEPS,
    SearchRecipe,
    anywhere,
    evaluate,
    held_out,
    logits_of,
    measured,
)


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_a_short_training_is_the_same_twice_and_lowers_the_cost(kind, monkeypatch):
    monkeypatch.setattr(ram.search, "BANK", 32)
    monkeypatch.setattr(ram, "BATCH", dict.fromkeys(KINDS, 32))
    monkeypatch.setattr(ram, "PASSES", 40)
    recipe = SearchRecipe(kind, steps=40)
    (one, history), (two, again) = recipe.train(), recipe.train()
    assert history.losses == again.losses
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    assert replace(recipe, seed=1).train()[1].losses != history.losses
    assert sum(history.losses[-6:]) < sum(history.losses[:6])


def test_a_bank_is_gone_through_several_times(monkeypatch):
    monkeypatch.setattr(ram.search, "BANK", 256)
    batches = list(islice(SearchRecipe().batches(), 10))
    first, second, new = (sorted(batch.images.sum().item() for batch in batches[i : i + 2]) for i in (0, 2, 8))
    assert sum(first) == pytest.approx(sum(second), rel=1e-6)
    assert first != second
    assert sum(first) != pytest.approx(sum(new), rel=1e-6)


def test_random_places_are_even_where_a_digit_can_lie():
    places = anywhere(4_000, 2, seeded())
    assert places.abs().max() <= REACH
    assert places.abs().max() > 0.99 * REACH
    assert places.mean().abs() < 0.02


def test_building_leaves_the_random_numbers_of_the_reader_alone():
    torch.manual_seed(4)
    expected = torch.rand(3)
    torch.manual_seed(4)
    for kind in KINDS:
        SearchRecipe(kind).build()
    assert torch.equal(torch.rand(3), expected)


def test_those_that_do_not_choose_say_once_or_after_each_glimpse():
    images = held_out("validation", 3).images
    shapes = {kind: tuple(logits_of(SearchRecipe(kind).build(), images, seeded()).shape) for kind in KINDS[1:]}
    assert shapes == {"random": (3, 5, 10), "dense": (3, 1, 10), "conv": (3, 1, 10)}


def test_the_model_that_came_along_does_what_was_recorded():
    of, found = held_out(), measured()
    assert set(found) == {"paces", *KINDS}
    assert all(set(found[kind]) == set(map(str, SEEDS)) for kind in KINDS)
    for seed in SEEDS:
        again = evaluate(SearchRecipe(seed=seed).load(), of)
        assert again["right"] == pytest.approx(found["ram"][str(seed)]["right"], abs=0.003)
        assert again["away"] == pytest.approx(found["ram"][str(seed)]["away"], abs=0.1)


def test_the_four_had_the_same_time():
    took = [STEPS[kind] * pace for kind, pace in measured()["paces"].items()]
    assert len(took) == len(KINDS)
    assert max(took) < 1.1 * min(took)


def test_paces_are_measured_in_turns(monkeypatch):
    monkeypatch.setattr(ram.search, "BANK", 32)
    monkeypatch.setattr(ram, "BATCH", dict.fromkeys(KINDS, 32))
    found = ram.paces(rounds=1, steps=2)
    assert set(found) == set(KINDS)
    assert all(0 < pace < 10_000 for pace in found.values())


def test_unknown_kinds_and_missing_weights_are_refused():
    with pytest.raises(ValueError, match="kind: got 'blind'"):
        SearchRecipe("blind").build()
    with pytest.raises(ValueError, match="kind: got 'dense'"):
        SearchRecipe("dense").load()
