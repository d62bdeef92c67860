import pytest
import torch

from attend.tasks import crowd
from attend.tasks.clutter import INK, small
from attend.tasks.digits import digits


@pytest.fixture(scope="module")
def some():
    return crowd.canvases("validation", 60, torch.Generator().manual_seed(0))


def test_one_digit_of_the_split_stands_where_its_corner_says(some):
    assert some.images.shape == (60, 36, 36)
    assert some.images.amin() >= 0
    assert some.images.amax() <= 1
    pool, names = small("validation"), digits("validation").labels
    for image, label, (row, column) in zip(some.images, some.labels, some.corners.tolist(), strict=True):
        window = image[row : row + 14, column : column + 14]
        inked = pool >= INK
        there = ((pool - window).abs() * inked).sum((1, 2)) == 0
        assert label in names[there]


def test_pieces_are_cut_from_digits_and_have_enough_ink():
    pieces = crowd.cuttings("validation", 30, torch.Generator().manual_seed(1))
    assert pieces.shape == (30, 6, 6)
    assert ((pieces >= INK).sum((1, 2)) >= crowd.LEAST).all()
    cuts = small("validation").unfold(1, 6, 1).unfold(2, 6, 1).reshape(-1, 36)
    for piece in pieces[:5]:
        assert (cuts == piece.flatten()).all(1).any()


def test_a_piece_never_covers_the_digit():
    bare, full = (crowd.canvases("test", 20, torch.Generator().manual_seed(3), pieces=n) for n in (0, 9))
    again = crowd.canvases("test", 20, torch.Generator().manual_seed(3), pieces=9)
    assert torch.equal(bare.corners, full.corners)
    ink = bare.images >= INK
    assert torch.equal(full.images[ink], bare.images[ink])
    assert (full.images >= bare.images).all()
    assert torch.equal(full.images, again.images)


def test_ink_alone_does_not_tell_where_the_digit_is(some):
    """About half of the ink belongs to the pieces, and it is as dark as that of the digits."""
    box = crowd.boxes(some.corners) > 0
    assert some.images[box].sum() < 0.6 * some.images.sum()
    inside, outside = (some.images[mask & (some.images >= INK)].mean() for mask in (box, ~box))
    assert (inside - outside).abs() < 0.06


def test_a_box_is_14_pixels_wide_and_begins_at_its_corner():
    boxes = crowd.boxes(torch.tensor([[0, 22], [3, 4]]))
    assert boxes.sum((1, 2)).tolist() == [196, 196]
    assert boxes[0, 0, 22] == boxes[0, 13, 35] == boxes[1, 3, 4] == boxes[1, 16, 17] == 1
    assert boxes[1, 2, 4] == boxes[1, 17, 17] == 0


def test_batches_are_new_all_the_time_and_can_be_had_again():
    one, two = (crowd.batches(1_024, torch.Generator().manual_seed(5)) for _ in range(2))
    parts = [next(one) for _ in range(3)]
    for part in parts:
        for ours, theirs in zip(part, next(two), strict=True):
            assert torch.equal(ours, theirs)
    assert len({part.images.sum().item() for part in parts}) == 3


def test_a_mark_stands_beside_the_digit_and_only_where_it_is_asked_for():
    of, which = crowd.canvases("test", 40, torch.Generator().manual_seed(1)), torch.arange(40) % 2 == 0
    shown, corners = crowd.marked(of, which, torch.Generator().manual_seed(2))
    assert torch.equal(shown.images[~which], of.images[~which])
    boxes = crowd.boxes(of.corners)
    for image, before, box, (row, column) in zip(
        shown.images[which], of.images[which], boxes[which], corners[which].tolist(), strict=True
    ):
        where = slice(row, row + 4), slice(column, column + 4)
        assert not box[where].any()
        assert torch.equal(image[where] == 1, (crowd.mark() == 1) | (before[where] == 1))
        image[where] = before[where]
        assert torch.equal(image, before)


def test_the_example_shows_its_label():
    head, *rows = crowd.example().splitlines()
    assert head.startswith("label 4, from row 4, column 4")
    assert len(rows) <= 36
    assert sum(row.count("*") for row in rows) > 10


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda g: crowd.canvases("holdout", 1, g), "split: got"),
        (lambda g: crowd.canvases("test", 0, g), "count: got 0"),
        (lambda g: crowd.canvases("test", 1, g, pieces=-1), "pieces: got -1"),
        (lambda g: crowd.canvases("test", 1, g, width=13), "width: got 13"),
        (lambda g: crowd.cuttings("test", 0, g), "count: got 0"),
        (lambda g: crowd.batches(3, g), "size: got 3"),
        (lambda g: crowd.boxes(torch.tensor([[0, 23]])), "corners: got"),
        (lambda g: crowd.marked(crowd.canvases("test", 1, g, width=16), torch.tensor([True]), g), "of: got"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong(torch.Generator().manual_seed(0))


def calls():
    corners = torch.tensor([[0, 1], [2, 0]])
    return {
        crowd.canvases: lambda: {
            "split": "test",
            "count": 2,
            "generator": torch.Generator(),
            "pieces": 1,
            "width": 20,
        },
        crowd.cuttings: lambda: {"split": "test", "count": 2, "generator": torch.Generator()},
        crowd.batches: {"size": 32, "generator": torch.Generator()},
        crowd.boxes: {"corners": corners, "width": 20},
        crowd.mark: {},
        crowd.marked: lambda: {
            "of": crowd.canvases("test", 2, torch.Generator(), width=20),
            "which": torch.tensor([True, False]),
            "generator": torch.Generator(),
        },
    }


def good():
    return {
        crowd.canvases: {"pieces": {"zero"}},
    }
