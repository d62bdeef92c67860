import pytest
import torch

from attend.tasks import clutter


@pytest.fixture(scope="module")
def some():
    return clutter.canvases("validation", 60, torch.Generator().manual_seed(0), pieces=3)


def test_every_pixel_has_the_name_of_its_ink(some):
    assert some.images.shape == some.labels.shape == (60, 30, 30)
    assert some.images.amin() >= 0
    assert some.images.amax() <= 1
    assert torch.equal(some.labels == 2, some.images < clutter.INK)
    for kind in (0, 1):
        assert (some.labels == kind).flatten(1).any(1).all()


def test_there_is_one_whole_digit_of_the_split_on_each_canvas():
    bare = clutter.canvases("validation", 20, torch.Generator().manual_seed(0), pieces=0)
    assert not (bare.labels == 1).any()
    pool = clutter.small("validation")
    for image in bare.images:
        rows, columns = (image >= clutter.INK).nonzero().T
        found = [
            torch.equal(window, small)
            for top in range(max(0, int(rows.max()) - 13), min(16, int(rows.min())) + 1)
            for left in range(max(0, int(columns.max()) - 13), min(16, int(columns.min())) + 1)
            for window in [image[top : top + 14, left : left + 14]]
            for small in pool[(pool.sum((1, 2)) - image.sum()).abs() < 1e-3]
        ]
        assert any(found)


def test_clutter_is_made_of_the_same_stroke(some):
    """Pixels of ink are as dark in clutter as in digits, so that darkness does not tell them apart."""
    digit, pieces = (some.images[some.labels == kind] for kind in (0, 1))
    assert (digit.mean() - pieces.mean()).abs() < 0.05


def test_a_piece_never_covers_the_digit():
    with_pieces, bare = (
        clutter.canvases("test", 30, torch.Generator().manual_seed(4), pieces=pieces) for pieces in (9, 0)
    )
    there = bare.labels == 0
    assert torch.equal(with_pieces.labels == 0, there)
    assert torch.equal(with_pieces.images[there], bare.images[there])


def test_the_same_generator_draws_the_same_canvases():
    one, two = (clutter.canvases("test", 3, torch.Generator().manual_seed(1)) for _ in range(2))
    assert torch.equal(one.images, two.images)
    assert torch.equal(one.labels, two.labels)


def test_the_digits_of_two_splits_are_different():
    train, test = (clutter.small(split) for split in ("train", "test"))
    assert train.shape == (7_500, 14, 14)
    assert len(torch.unique(torch.cat((train, test)).flatten(1), dim=0)) == 9_000


def test_the_cost_weighs_ink_and_paper_alike():
    labels = torch.full((1, 3, 3), 2)
    labels[0, 0, 0] = 1
    scores = torch.zeros(1, 3, 3, 3)
    assert clutter.cost(scores, labels).item() == pytest.approx(2 * torch.tensor(3.0).log().item())
    scores[0, 0, 0, 1] = 100
    assert clutter.cost(scores, labels).item() == pytest.approx(torch.tensor(3.0).log().item())


def test_f1_counts_hits_against_what_was_named_and_what_is():
    labels = torch.tensor([[[0, 0, 0, 1, 2]]])
    assert clutter.f1(labels, labels) == 1
    assert clutter.f1(torch.tensor([[[0, 1, 2, 0, 2]]]), labels) == pytest.approx(2 * 1 / (2 + 3))
    assert clutter.f1(torch.full_like(labels, 2), labels) == 0


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda g: clutter.canvases("holdout", 1, g), "split: got"),
        (lambda g: clutter.canvases("test", 0, g), "count: got 0"),
        (lambda g: clutter.canvases("test", 1, g, pieces=-1), "pieces: got -1"),
        (lambda g: clutter.canvases("test", 1, g, width=13), "width: got 13"),
        (lambda g: clutter.cost(torch.zeros(1, 2, 2, 3), torch.full((1, 2, 2), 3)), "labels: got"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong(torch.Generator().manual_seed(0))


def calls():
    labels = torch.tensor([[[0, 1, 2], [2, 1, 0]]])
    return {
        clutter.small: {"split": "test"},
        clutter.canvases: lambda: {
            "split": "test",
            "count": 2,
            "generator": torch.Generator(),
            "pieces": 1,
            "width": 20,
        },
        clutter.cost: {"scores": torch.ones(1, 2, 3, 3), "labels": labels},
        clutter.f1: {"guess": labels.flip(2), "labels": labels},
    }


def good():
    return {
        clutter.canvases: {"pieces": {"zero"}},
    }
