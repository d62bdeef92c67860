"""Readers of one glimpse: what they get, where it is taken, and that they learn to name and to find the digit."""

import pytest
import torch

from attend.hard.glimpse import glimpse, glimpse_size
from attend.recipes.glimpse import FAR, WAYS, WHOLE, GlimpseRecipe, around, cost, look, places_for
from attend.tasks import search


@pytest.fixture(scope="module")
def canvases():
    return search.canvases("train", 512, torch.Generator().manual_seed(0))


def test_three_ways_hand_on_about_as_many_numbers_and_one_all(canvases):
    places = torch.zeros(512, 2)
    crops = {way: cut(canvases.images, places) for way, cut in WAYS.items()}
    assert [tuple(seen.shape[1:]) for seen in crops.values()] == [
        (1, 22, 22),
        (1, 22, 22),
        (3, 12, 12),
        (1, 60, 60),
    ]
    assert torch.equal(crops[WHOLE][:, 0], canvases.images)
    assert glimpse_size(12, 3) == 432 < 22**2 == 484
    fine = glimpse(canvases.images, places, size=44, scales=1)
    means = fine.view(512, 1, 22, 2, 22, 2).mean(dim=(3, 5))
    torch.testing.assert_close(crops["one coarse crop"], means)


def test_places_lie_around_the_digit_and_on_the_canvas(canvases):
    places = around(canvases.corners, FAR, torch.Generator().manual_seed(0))
    far = search.distance(places[:, None], canvases.corners)[:, 0]
    assert places.abs().max() <= 1
    assert far.max() <= FAR + 1e-3
    assert far.min() < 1
    close = around(canvases.corners, 4, torch.Generator().manual_seed(0))
    assert search.distance(close[:, None], canvases.corners).max() <= 4 + 1e-3
    with pytest.raises(ValueError, match="far: got 0"):
        around(canvases.corners, 0, torch.Generator())


def test_the_whole_image_is_seen_from_its_middle(canvases):
    assert places_for(WHOLE, canvases.corners, torch.Generator()).eq(0).all()
    _, _, step = next(GlimpseRecipe(WHOLE, batch=512).batches(canvases))
    order = torch.randperm(512, generator=torch.Generator().manual_seed(1_000))
    assert torch.equal(step, search.middles(canvases.corners[order]))
    near = places_for("three scales", canvases.corners, torch.Generator().manual_seed(3))
    assert torch.equal(near, around(canvases.corners, FAR, torch.Generator().manual_seed(3)))


def test_batches_hold_what_the_glimpse_saw_and_where_the_digit_is(canvases):
    recipe = GlimpseRecipe(batch=512)
    crops, names, step = next(recipe.batches(canvases))
    again = next(recipe.batches(canvases))
    assert all(torch.equal(a, b) for a, b in zip((crops, names, step), again, strict=True))
    assert sorted(names.tolist()) == sorted(canvases.labels.tolist())
    order = torch.randperm(512, generator=torch.Generator().manual_seed(1_000))
    places = search.middles(canvases.corners[order]) - step
    assert torch.equal(crops, WAYS["three scales"](canvases.images[order], places.clamp(-1, 1)))


def test_a_step_in_full_leads_to_the_middle(canvases):
    reader = GlimpseRecipe().build()
    places = around(canvases.corners, FAR, torch.Generator().manual_seed(1))

    class Knowing:
        def __call__(self, crops):
            return reader(crops)._replace(step=search.middles(canvases.corners) - places)

    found = look(Knowing(), "three scales", canvases, places)
    assert found.then.max() < 1e-3
    assert torch.equal(found.far, search.distance(places[:, None], canvases.corners)[:, 0])


@pytest.mark.nightly
@pytest.mark.parametrize("way", WAYS)
def test_every_reader_learns(way, canvases):
    recipe = GlimpseRecipe(way, steps=60, batch=128)
    batch = next(recipe.batches(canvases))
    before = cost(recipe.build(), batch).item()
    reader, history = recipe.train(canvases)
    assert len(history.losses) == 60
    assert cost(reader, batch).item() < 0.93 * before


def test_the_same_seed_makes_the_same_reader(canvases):
    one, other = (GlimpseRecipe(seed=1, steps=3, batch=64).train(canvases)[0] for _ in range(2))
    assert torch.equal(one.take.weight, other.take.weight)
    assert not torch.equal(one.take.weight, GlimpseRecipe(seed=2).build().take.weight)


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match=r"way: got 'askance'"):
        GlimpseRecipe("askance").build()
