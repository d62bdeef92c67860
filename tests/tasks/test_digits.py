import pytest
import torch

from attend.tasks import digits
from attend.tasks.digits import Digits, accuracy, batches, cost, place, shift, shifts


@pytest.mark.parametrize(("split", "size"), [("train", 7_500), ("validation", 1_000), ("test", 1_500)])
def test_each_split_holds_real_digits_of_every_kind(split, size):
    images, labels = digits.digits(split)
    assert images.shape == (size, 28, 28)
    assert images.dtype == torch.float32
    assert images.amin() == 0
    assert images.amax() == 1
    assert (images.flatten(1).amax(dim=1) > 0.9).all()
    assert labels.bincount(minlength=10).min() >= 0.07 * size


def test_no_image_stands_in_two_splits():
    images = torch.cat([digits.digits(split).images for split in digits.SPLITS])
    assert len(images) == 10_000
    assert len(torch.unique((images * 255).round().byte().flatten(1), dim=0)) == 10_000


def test_labels_belong_to_their_images():
    images, labels = digits.digits("train")
    means = torch.stack([images[labels == label].mean(dim=0) for label in range(10)]).flatten(1)
    tests = digits.digits("test")
    nearest = torch.cdist(tests.images.flatten(1), means).argmin(dim=1)
    assert (nearest == tests.labels).double().mean() > 0.75


def test_the_example_shows_the_label():
    assert digits.example().startswith(f"label {digits.digits().labels[0]}\n")
    assert "*" in digits.example()


def test_a_shift_moves_every_pixel_and_loses_what_leaves():
    image = torch.arange(12.0).view(1, 3, 4) + 1
    assert digits.shift(image, 1, 0)[0].tolist() == [[0, 0, 0, 0], [1, 2, 3, 4], [5, 6, 7, 8]]
    assert digits.shift(image, 0, -3)[0].tolist() == [[4, 0, 0, 0], [8, 0, 0, 0], [12, 0, 0, 0]]
    assert digits.shift(image, -2, 2)[0].tolist() == [[0, 0, 9, 10], [0, 0, 0, 0], [0, 0, 0, 0]]
    assert torch.equal(digits.shift(image, 0, 0), image)


def test_there_and_back_again():
    images = digits.digits("test").images[:50]
    inside = torch.zeros_like(images)
    inside[:, 4:24, 4:24] = images[:, 4:24, 4:24]
    assert torch.equal(digits.shift(digits.shift(inside, 3, -2), -3, 2), inside)


def test_eight_directions_at_one_distance():
    images = torch.zeros(1, 9, 9)
    images[0, 4, 4] = 1
    moved = digits.shifts(images, 3)
    places = {tuple(place) for place in moved.nonzero()[:, 2:].tolist()}
    assert places == {(y, x) for y in (1, 4, 7) for x in (1, 4, 7)} - {(4, 4)}
    assert torch.equal(digits.shifts(images, 0), images[None])


def test_a_canvas_holds_the_digit_where_it_says():
    images = digits.digits("test").images[:40]
    canvases, corners = digits.place(images, 60, torch.Generator().manual_seed(3))
    assert canvases.shape == (40, 60, 60)
    assert len(torch.unique(corners, dim=0)) > 30
    for canvas, image, (row, column) in zip(canvases, images, corners.tolist(), strict=True):
        assert torch.equal(canvas[row : row + 28, column : column + 28], image)
        assert canvas.sum() == pytest.approx(image.sum().item(), rel=1e-5)


def test_batches_show_every_image_once_a_round_and_repeat_by_seed():
    some = digits.Digits(torch.arange(10.0).view(10, 1, 1), torch.arange(10))
    stream = digits.batches(some, 3, torch.Generator().manual_seed(0))
    first, second = ([next(stream) for _ in range(3)] for _ in range(2))
    labels = [torch.cat([batch.labels for batch in round_]) for round_ in (first, second)]
    assert all(len(set(seen.tolist())) == 9 for seen in labels)
    assert not torch.equal(*labels)
    again = digits.batches(some, 3, torch.Generator().manual_seed(0))
    assert torch.equal(next(again).labels, first[0].labels)
    assert torch.equal(first[0].images.flatten(), first[0].labels.float())


def test_cost_and_accuracy_of_a_worked_case():
    scores = torch.tensor([[0.0, 2.0], [1.0, 0.0]])
    labels = torch.tensor([1, 1])
    assert digits.accuracy(scores, labels) == 0.5
    expected = (torch.log1p(torch.tensor(-2.0).exp()) + torch.log1p(torch.tensor(1.0).exp())) / 2
    assert digits.cost(scores, labels) == pytest.approx(expected.item())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: digits.digits("all"), "split: got 'all'"),
        (lambda: digits.shift(torch.zeros(1, 5, 5), 5, 0), "down: got 5"),
        (lambda: digits.shift(torch.zeros(1, 5, 5), 0, -5), "right: got -5"),
        (lambda: digits.place(torch.zeros(1, 28, 28), 27), "width: got 27"),
        (lambda: digits.batches(digits.digits("test"), 1_501, torch.Generator()), "size: got 1501"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    from attend.tasks.digits import digits

    images = torch.linspace(0, 1, 72).view(2, 6, 6)
    scores = {"scores": torch.eye(2, 3), "labels": torch.tensor([0, 2])}
    return {
        digits: {"split": "test"},
        shift: {"images": images, "down": 2, "right": -1},
        shifts: {"images": images, "pixels": 2},
        place: lambda: {"images": images, "width": 9, "generator": torch.Generator().manual_seed(0)},
        batches: lambda: {"of": Digits(images, torch.tensor([3, 1])), "size": 1, "generator": torch.Generator()},
        cost: scores,
        accuracy: scores,
    }


def good():
    return {
        shift: {"down": {"zero", "negative"}, "right": {"zero", "negative"}},
        shifts: {"pixels": {"zero"}},
    }
