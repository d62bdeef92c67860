"""Networks that see one glimpse: what each sensor gives, where it looks, that they learn and follow their steps."""

import pytest
import torch

from attend.hard.glimpse import glimpse as sensor
from attend.recipes import glimpse
from attend.recipes.glimpse import FAR, RATE, SENSORS, GlimpseRecipe, around, bank, follow, loss, shifted
from attend.tasks import search

SMALL = {"count": 512, "batch": 128}


@pytest.fixture(scope="module")
def canvases():
    return search.resized("train", 256, torch.Generator().manual_seed(0), (28,))


def test_sensors_give_so_many_numbers(canvases):
    images, _, middles = canvases
    found = {name: see(images, middles) for name, see in SENSORS.items()}
    assert [numbers.shape[1] for numbers in found.values()] == [432, 484, 484, 3_600, 3_600, 3_602]
    assert torch.equal(found["canvas and location"][:, :-2], found["canvas"])
    assert torch.equal(found["canvas and location"][:, -2:], middles)
    assert torch.equal(SENSORS["window"](images, 0 * middles), found["canvas"])  # around the middle it is the canvas
    assert set(RATE) == set(SENSORS)


def test_locations_lie_so_far_from_the_digit_and_on_the_canvas(canvases):
    middles = canvases[2]
    far = (around(middles, FAR, torch.Generator().manual_seed(0)) - middles).norm(dim=1) * 30
    assert far.max() <= FAR + 1e-3
    inner = middles.abs().amax(dim=1) < 0.5
    off = (around(middles, 10, torch.Generator().manual_seed(0), near=10) - middles).norm(dim=1)[inner] * 30
    torch.testing.assert_close(off, torch.full_like(off, 10))
    assert around(middles, FAR, torch.Generator().manual_seed(1)).abs().max() <= 1


def test_a_moved_canvas_carries_its_digit_along(canvases):
    images, _, middles = canvases
    moved, now = shifted(images, middles, torch.Generator().manual_seed(0))
    assert not torch.allclose(now, middles)
    digits = (sensor(*both, size=28, scales=1) for both in ((images, middles), (moved, now)))
    assert torch.equal(*digits)
    assert torch.equal(moved.flatten(1).sort(dim=1).values, images.flatten(1).sort(dim=1).values)


def test_a_batch_holds_what_was_seen_and_the_step_to_the_middle():
    recipe = GlimpseRecipe("window", **SMALL)
    crops, labels, steps = next(recipe.batches())
    images, names, middles = bank(512, "one")
    rows = torch.randperm(512, generator=torch.Generator().manual_seed(1_000))[:128]
    assert torch.equal(labels, names[rows])
    torch.testing.assert_close(crops, SENSORS["window"](images[rows], middles[rows] - steps))


@pytest.mark.parametrize("sizes", ["one", "all"])
def test_a_short_training_learns_and_is_repeated_by_its_seed(sizes):
    recipe = GlimpseRecipe(sizes=sizes, steps=12, **SMALL)
    batch = next(recipe.batches())
    one, two = (recipe.train() for _ in range(2))
    assert loss(one, batch) < loss(recipe.build(), batch)
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_steps_are_followed_and_stay_on_the_canvas(canvases):
    class Right(torch.nn.Module):
        def forward(self, crops):
            return crops[:, :10], torch.tensor([0.75, -0.25]).expand(len(crops), 2)

    locations, logits = follow(Right(), "sharp crop", canvases[0], torch.zeros(256, 2), 3)
    assert locations[0].tolist() == [[0, 0], [0.75, -0.25], [1, -0.5]]
    torch.testing.assert_close(logits[:, 2], SENSORS["sharp crop"](canvases[0], locations[:, 2])[:, :10])


def test_an_unknown_sensor_is_refused():
    with pytest.raises(ValueError, match="sensor: got 'askance'"):
        GlimpseRecipe("askance")
    with pytest.raises(ValueError, match="far: got 0"):
        around(torch.zeros(1, 2), 0, torch.Generator())
    assert glimpse.TUNED_ON == (100,)
