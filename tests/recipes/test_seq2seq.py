"""The records of the lessons fit their recipes, the plane is what travels, and what is measured is what is meant."""

import pytest
import torch

from attend.recipes.readers import encoded, write
from attend.recipes.seq2seq import (
    AFTER,
    LENGTHS,
    SEEDS,
    STEPS,
    LessonsRecipe,
    PlaneRecipe,
    after,
    by_digits,
    free_cost,
    judge,
    lessons,
    measured,
)
from attend.tasks import pairs


@pytest.fixture(scope="module")
def small():
    """A model after a few steps, and numbers of up to three digits."""
    recipe = LessonsRecipe(steps=60, digits=3, most=10, H=32)
    return recipe.train()[0], encoded(recipe.of("test"))


def test_the_records_are_of_equal_time_and_complete():
    recorded = measured()
    for kind in STEPS:
        assert len(recorded[kind]) == len(SEEDS)
        for run in recorded[kind]:
            assert 15 < run["seconds"] < 30
            assert len(run["by_length"]) == len(LENGTHS)
            assert list(run.get("digits", ())) == list("3456789" if kind == "forced" else "")
            assert len(run["free"]["after"]) == AFTER
    seconds = {kind: sum(run["seconds"] for run in recorded[kind]) for kind in STEPS}
    assert max(seconds.values()) < 1.25 * min(seconds.values())


def test_the_plane_is_that_of_the_recipe_and_light():
    recipe = PlaneRecipe()
    model = recipe.load()
    asked = encoded(recipe.of("test"))
    exact = pairs.exact(write(model, asked).tokens, asked.target, asked.asked).double().mean().item()
    assert 0.75 < exact < 0.9
    assert sum(p.numel() for p in model.parameters()) < 27_000


def test_words_start_far_from_each_other():
    for rows in (PlaneRecipe().build().embed_source.weight, PlaneRecipe().build().embed_target.weight):
        apart = torch.cdist(rows, rows) + 9 * torch.eye(len(rows))
        assert apart.min() > 0.8
        assert rows.norm(dim=1).max() < 6


def test_after_follows_each_row_from_its_first_mistake():
    asked = torch.ones(3, 5, dtype=torch.bool)
    asked[1, 4:] = False
    right = torch.tensor([[1, 0, 1, 1, 0], [0, 1, 0, 1, 1], [1, 1, 1, 1, 1]]).bool()
    found = after(right, asked)
    assert found[:3] == [1, 0.5, 0.5]
    assert len(found) == AFTER


def test_shares_by_digits_are_of_the_groups_of_twenty_or_more():
    recipe = LessonsRecipe(steps=60, digits=3, most=200, H=32)
    model = recipe.train()[0]
    asked, tests = encoded(recipe.of("test")), recipe.of("test")
    exact = pairs.exact(write(model, asked).tokens, asked.target, asked.asked)
    three = [bool(right) for n, right in zip(tests, exact, strict=True) if n > 99]
    assert len(three) >= 20
    assert by_digits(recipe, model)["3"] == pytest.approx(sum(three) / len(three))
    assert all(sum(len(str(n)) == int(d) for n in tests) >= 20 for d in by_digits(recipe, model))


def test_reading_the_truth_is_teacher_forcing_and_reading_its_own_is_not(small):
    model, asked = small
    found = judge(model, asked)
    logits = model(asked.source, asked.mask, asked.target).logits
    assert found["forced"]["surprise"] == pytest.approx(pairs.cost(logits, asked.target, asked.asked).item())
    assert found["free"]["surprise"] == pytest.approx(free_cost(model, asked).item())
    assert found["free"]["surprise"] > found["forced"]["surprise"]
    assert found["exact"] <= found["free"]["right"]


@pytest.mark.nightly
def test_each_kind_of_lessons_teaches():
    for kind in STEPS:
        recipe = LessonsRecipe(lessons=kind, steps=60, digits=3, most=10, H=32, reverse=kind == "reversed")
        history = recipe.train()[1]
        assert sum(history.losses[-10:]) < 0.8 * sum(history.losses[:10]), kind
    assert lessons("reversed").reverse


def test_pointing_is_learned():
    history = PlaneRecipe(digits=3, steps=60).train()[1]
    assert sum(history.losses[-10:]) < 0.8 * sum(history.losses[:10])


def test_unknown_lessons_are_refused():
    with pytest.raises(ValueError, match="lessons: got"):
        LessonsRecipe(lessons="none")
    with pytest.raises(ValueError, match="score: got"):
        LessonsRecipe(score="dot")
