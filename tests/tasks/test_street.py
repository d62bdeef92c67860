"""Photos with one sign: where it hangs, what it says, and what a thumbnail shows of it."""

import pytest
import torch
from torch.nn.functional import avg_pool2d

from attend.tasks import street


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def test_one_window_of_each_photo_is_a_sign_and_the_thumbnail_is_that_of_the_windows():
    photo = street.sample(300, 9, "validation", seeded(0))
    squares = photo.windows.view(300, 9, 16, 16)
    framed = (squares[:, :, [0, -1]] == 1).all((2, 3)) & (squares[:, :, :, [0, -1]] == 1).all((2, 3))
    assert (framed.sum(1) == 1).all()
    assert torch.equal(framed.float().argmax(1), photo.place)
    torch.testing.assert_close(avg_pool2d(squares, 4).flatten(2), photo.thumbnails)


def test_signs_say_what_their_digit_is_and_splits_share_none():
    assert len(street.signs("train").labels) == 7_500
    assert street.signs("test").labels.bincount().tolist() == [
        int((street.signs("test").labels == k).sum()) for k in range(10)
    ]
    one, other = street.signs("validation").windows, street.signs("test").windows
    assert not (one[:200, None] == other[None, :200]).all(2).any()


def test_places_and_labels_are_evenly_drawn():
    photo = street.sample(20_000, 4, generator=seeded(1))
    assert (photo.place.bincount() / 20_000).tolist() == pytest.approx([0.25] * 4, abs=0.012)
    assert photo.label.unique().tolist() == list(range(10))


def test_a_seed_gives_the_same_photos_again():
    one, two, other = (street.sample(4, generator=seeded(seed)) for seed in (3, 3, 4))
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    assert not torch.equal(one.windows, other.windows)


def test_the_example_is_a_framed_digit():
    rows = street.example().splitlines()
    assert rows[0] == rows[15] == "#" * 16
    assert rows[16] == f"label {street.signs('train').labels[0]}"


def calls():
    return {
        street.sample: {"batch": 2, "windows": 3, "split": "test", "generator": torch.Generator()},
        street.signs: {"split": "test"},
        street.leaves: {"split": "test"},
        street.example: {},
    }
