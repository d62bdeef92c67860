"""A digit of full size on a wide canvas: the right one, where it is said to be, among pieces of others."""

import pytest
import torch

from attend.tasks import search
from attend.tasks.digits import digits


def made(count=20, **sizes):
    return search.canvases("validation", count, torch.Generator().manual_seed(0), **sizes)


def test_without_pieces_the_digit_stands_alone_where_its_corner_says():
    images, labels, corners = made(pieces=0)
    pool, names = digits("validation")
    for image, label, (row, column) in zip(images, labels, corners.tolist(), strict=True):
        digit = image[row : row + 28, column : column + 28]
        same = (pool == digit).all(dim=(1, 2))
        assert same.any()
        assert (names[same] == label).all()
        assert image.sum() == pytest.approx(digit.sum().item(), rel=1e-5)


def test_pieces_only_add_ink_outside_or_darken():
    images, _, corners = made(pieces=4)
    assert images.shape == (20, 60, 60)
    assert images.min() >= 0
    assert images.max() <= 1
    outside = images.clone()
    for image, (row, column) in zip(outside, corners.tolist(), strict=True):
        image[row : row + 28, column : column + 28] = 0
    assert (outside.flatten(1).sum(1) > 0).double().mean() > 0.8


def test_a_canvas_may_be_wider():
    images, _, corners = made(4, width=480)
    assert images.shape == (4, 480, 480)
    assert corners.max() > 60


def test_batches_do_not_end_and_follow_their_seed():
    one, other = (search.batches(32, torch.Generator().manual_seed(5)) for _ in range(2))
    seen = [next(one).images for _ in range(9)]  # a bank holds eight
    assert all(torch.equal(images, next(other).images) for images in seen)
    assert not torch.equal(seen[0], seen[8])


def test_the_middle_of_a_digit_in_the_middle_is_nought():
    assert search.middles(torch.tensor([[16, 16], [0, 32]])).tolist() == [
        [0, 0],
        pytest.approx([-32 / 60, 32 / 60]),
    ]


def test_distance_in_pixels_by_hand():
    away = torch.tensor([[[0.0, 0.0], [0.1, 0.0], [-0.1, 0.4 / 3]]])  # 0, 3 and (3, 4) pixels of 30 each way
    assert search.distance(away, torch.tensor([[16, 16]])).tolist() == [pytest.approx([0, 3, 5])]


def test_resized_digits_have_their_sides_in_turn_and_lie_around_their_middles():
    images, labels, middles = search.resized("test", 10, torch.Generator().manual_seed(0), (14, 56), pieces=0)
    assert labels.shape == (10,)
    for k, image in enumerate(images):
        side = (14, 56)[k % 2]
        rows, columns = image.gt(0).nonzero().unbind(dim=1)
        for at, middle in zip((rows, columns), middles[k].tolist(), strict=True):
            first = (middle + 1) * 30 - side / 2
            assert -1e-3 <= first <= 60 - side + 1e-3
            assert first - 1e-3 <= at.min() <= at.max() < first + side


def test_digits_of_the_usual_side_are_those_of_the_split():
    images, _, middles = search.resized("validation", 3, torch.Generator().manual_seed(0), (28,), pieces=0)
    pool, _ = search.digits("validation")
    row, column = (30 * (middles[0] + 1) - 14).round().long().tolist()
    digit = images[0, row : row + 28, column : column + 28]
    assert (pool == digit).flatten(1).all(dim=1).any()


def test_one_example_reads():
    first, *rows = search.example().split("\n")
    assert first.startswith("label 4, from row 18")
    assert len(rows) == 30


def test_bad_sizes_are_refused():
    with pytest.raises(ValueError, match=r"size: got 100 \(int\), expected a number that divides 2048"):
        search.batches(100, torch.Generator())
    with pytest.raises(ValueError, match=r"width: got 20 \(int\), expected at least 28 pixels"):
        made(width=20)


def calls():
    CORNERS = torch.tensor([[0, 2], [3, 1]])
    SEEDED = torch.Generator().manual_seed(0)
    return {
        search.canvases: {"split": "validation", "count": 2, "generator": SEEDED, "pieces": 1, "width": 40},
        search.batches: {"size": 64, "generator": SEEDED, "pieces": 1, "width": 40},
        search.resized: {"split": "test", "count": 2, "generator": SEEDED, "sides": (14, 20), "pieces": 1},
        search.middles: {"corners": CORNERS, "width": 60},
        search.distance: {"places": torch.zeros(2, 4, 2), "corners": CORNERS, "width": 60},
    }


def good():
    return {
        search.canvases: {"pieces": {"zero"}},
        search.batches: {"pieces": {"zero"}},
        search.resized: {"pieces": {"zero"}},
    }
