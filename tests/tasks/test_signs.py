"""Canvases with one speed limit: where it stands, what it says, how wide digit and canvas are."""

import pytest
import torch

from attend.hard.glimpse import glimpse
from attend.tasks import signs
from attend.tasks.digits import digits


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def test_the_pool_holds_the_three_limits_of_a_split():
    for split in ("train", "validation", "test"):
        shapes, labels = signs.pool(split)
        wanted = [int((digits(split).labels == limit).sum()) for limit in signs.LIMITS]
        assert labels.bincount().tolist() == wanted
        assert shapes.shape == (sum(wanted), 14, 14)


@pytest.mark.parametrize("width", [16, 32, 97])
def test_around_its_middle_stands_the_digit_and_nothing_else_where_there_are_no_scraps(width):
    of = signs.canvases("test", 50, width, pieces=0, generator=seeded())
    seen = glimpse(of.images, of.middles, size=14, scales=1)[:, 0]
    torch.testing.assert_close(seen.sum((1, 2)), of.images.sum((1, 2)))
    shapes, labels = signs.pool("test")
    which = torch.cdist(seen.flatten(1), shapes.flatten(1)).min(dim=1)
    assert which.values.max() < 1e-2
    assert torch.equal(labels[which.indices], of.labels)


def test_digits_are_as_wide_as_asked():
    for side in (7, 28):
        of = signs.canvases("test", 30, side=side, pieces=0, generator=seeded())
        window = glimpse(of.images, of.middles, size=side + side % 2, scales=1)
        torch.testing.assert_close(window.sum((1, 2, 3)), of.images.sum((1, 2)))


def test_scraps_add_ink_and_cover_none():
    with_scraps, alone = (signs.canvases("test", 40, pieces=n, generator=seeded()) for n in (4, 0))
    assert torch.equal(with_scraps.middles, alone.middles)
    assert (with_scraps.images >= alone.images).all()
    assert (with_scraps.images > alone.images).flatten(1).any(dim=1).all()
    ink = alone.images >= 0.25
    assert torch.equal(with_scraps.images[ink], alone.images[ink])


def test_distances_are_in_pixels():
    middles = torch.tensor([[0.0, 0.5]])
    locations = torch.tensor([[[0.0, 0.5], [0.25, 0.5], [0.0, 0.0]]])
    assert signs.distance(locations, middles, 96)[0].tolist() == pytest.approx([0, 12, 24])


def test_the_example_says_its_limit():
    rows = signs.example().split("\n")
    assert rows[0] in ("limit 30", "limit 60", "limit 70")
    assert len(rows) == 1 + signs.WIDTH // 2


def calls():
    return {
        signs.pool: {"split": "test"},
        signs.canvases: {
            "split": "test",
            "count": 2,
            "width": 30,
            "side": 10,
            "pieces": 1,
            "generator": torch.Generator(),
        },
        signs.distance: {"locations": torch.zeros(2, 3, 2), "middles": torch.zeros(2, 2), "width": 30},
        signs.example: {},
    }


def good():
    return {signs.canvases: {"pieces": {"zero"}}}
