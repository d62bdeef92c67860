"""Each glimpse in the page is that of torch, for a model that has learned and for one that has not."""

import pytest
import torch
from tests.live import searching
from tests.live.searching import T, agrees, some_images

from attend.hard.ram import RAM
from attend.live.figure import pack, unpack
from attend.recipes.ram_shown import trained
from attend.tasks import signs


@pytest.fixture
def figure():
    return searching.figure()


def test_left_to_itself_it_looks_where_torch_does(compute, figure):
    forward = compute(figure)
    for image in some_images(figure):
        result = forward({"image": image.flatten().tolist(), "first": None, "noise": None})
        assert result["places"] == result["means"]
        agrees(figure, image, result)


@pytest.mark.parametrize("first", [None, [-0.8, 0.5]])
def test_what_was_trained_looks_where_torch_does(compute, first):
    figure = searching.figure(trained().state_dict())
    forward = compute(figure)
    for image in some_images(figure):
        agrees(figure, image, forward({"image": image.flatten().tolist(), "first": first, "noise": None}))


def test_the_way_to_the_page_costs_no_right_answers():
    there, model = RAM(num_classes=3), trained()
    there.load_state_dict(unpack(*pack(model.state_dict(), "int8")))
    images, labels, _ = signs.canvases("validation", 1_000, generator=torch.Generator().manual_seed(2))
    with torch.no_grad():
        before, after = (net(images, steps=T).logits.argmax(2) for net in (model, there))
    right = [(said == labels[:, None]).float().mean(0) for said in (before, after)]
    assert (right[0] - right[1]).abs().max() < 0.03
    assert (before == after)[:, 0].float().mean() > 0.97
    assert (before == after)[:, -1].float().mean() > 0.85


@pytest.mark.parametrize("first", [[-0.8, -0.8], [1.0, -1.0], [0.35, 0.6]])
def test_a_place_that_is_given_is_where_it_looks_first(compute, figure, first):
    forward = compute(figure)
    for image in some_images(figure):
        result = forward({"image": image.flatten().tolist(), "first": first, "noise": None})
        assert result["places"][0] == first
        assert result["places"][1:] == result["means"][1:]
        agrees(figure, image, result)


def test_what_is_seen_goes_into_the_next_place(compute, figure):
    forward, images = compute(figure), some_images(figure)
    paths = [forward({"image": image.flatten().tolist(), "first": None, "noise": None})["places"] for image in images]
    assert all(path[0] == paths[0][0] for path in paths)
    ends = torch.tensor(paths)[:, -1]
    assert torch.cdist(ends, ends)[0, 1:].min() > 1e-3


def test_noise_moves_places_around_their_means(compute, figure):
    noise = torch.randn(T, 2, generator=torch.Generator().manual_seed(3))
    for first in (None, [0.1, 0.2]):
        image = some_images(figure)[0]
        result = compute(figure)({"image": image.flatten().tolist(), "first": first, "noise": noise.tolist()})
        moved = torch.tensor(result["places"]) - torch.tensor(result["means"])
        begin = 0 if first is None else 1
        assert moved[begin:].flatten().tolist() == pytest.approx((0.2 * noise[begin:]).flatten().tolist(), abs=1e-6)
        agrees(figure, image, result)
