"""Glimpses: crops by hand at corners and edges, means by torch, and a cost that knows nothing of the image's size."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.functional import avg_pool2d, pad

from attend.hard.glimpse import GlimpseNet, corners, crop, glimpse, glimpse_size, mosaic, smooth_glimpse

COUNTING = torch.arange(16.0).view(1, 4, 4)  # 0 … 15, row by row
places = st.floats(-1.2, 1.2)


def at(*place):
    return torch.tensor([place], dtype=torch.float32)


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ((0, 0), [[5, 6], [9, 10]]),  # the middle
        ((-1, -1), [[0, 0], [0, 0]]),  # the top left corner: only the last of four pixels lies in the image, a 0
        ((1, 1), [[15, 0], [0, 0]]),  # the bottom right corner
        ((-1, 0), [[0, 0], [1, 2]]),  # the top edge: the upper half is outside
        ((0, 1), [[7, 0], [11, 0]]),  # the right edge
        ((0.5, -0.5), [[8, 9], [12, 13]]),
    ],
)
def test_a_crop_by_hand(place, expected):
    seen = crop(COUNTING, corners(at(*place), 4, 4, 2), 2)
    assert seen.tolist() == [expected]


def test_what_lies_outside_is_empty_paper():
    assert crop(torch.ones(1, 4, 4), torch.tensor([[-9, 2]]), 2).eq(0).all()
    assert glimpse(torch.ones(1, 4, 4), at(3, 3), size=2, scales=2).eq(0).all()


def test_two_scales_by_hand():
    crops = glimpse(COUNTING, at(0, 0), size=2, scales=2)
    assert crops[0, 0].tolist() == [[5, 6], [9, 10]]
    assert crops[0, 1].tolist() == [[2.5, 4.5], [10.5, 12.5]]


@pytest.mark.parametrize(
    ("place", "fine", "coarse"),
    [
        ((-1, -1), [[0, 0], [0, 1]], [[0, 0], [0, 3.5]]),  # of 4 x 4 pixels only 1, 2, 5 and 6 lie in the image
        ((1, 1), [[16, 0], [0, 0]], [[13.5, 0], [0, 0]]),
        ((0, 1), [[8, 0], [12, 0]], [[5.5, 0], [13.5, 0]]),  # the right half is outside
        ((-1, 0), [[0, 0], [2, 3]], [[0, 0], [3.5, 5.5]]),  # the upper half is outside
        ((1, -1), [[0, 13], [0, 0]], [[0, 11.5], [0, 0]]),
    ],
)
def test_two_scales_by_hand_at_corners_and_edges(place, fine, coarse):
    crops = glimpse(COUNTING + 1, at(*place), size=2, scales=2)
    assert crops[0].tolist() == [fine, coarse]


def test_a_place_between_pixels_is_rounded():
    assert corners(at(0.24, 0.26), 4, 4, 2).tolist() == [[1, 2]]
    assert corners(at(-0.24, -0.26), 4, 4, 2).tolist() == [[1, 0]]


@given(down=places, across=places, seed=st.integers(0, 99))
def test_each_scale_is_a_mean_of_torch(down, across, seed):
    image = torch.rand(1, 17, 17, generator=torch.Generator().manual_seed(seed))
    crops = glimpse(image, at(down, across), size=4, scales=3)
    top, left = corners(at(down, across), 17, 17, 16)[0].tolist()
    framed = pad(image, (40, 40, 40, 40))[:, 40 + top : 56 + top, 40 + left : 56 + left]
    for k in range(3):
        edge = (16 - 4 * 2**k) // 2
        middle = framed[:, edge : 16 - edge, edge : 16 - edge]
        torch.testing.assert_close(crops[:, k], avg_pool2d(middle, 2**k))


def test_a_row_sees_its_own_image():
    images = torch.rand(3, 20, 20, generator=torch.Generator().manual_seed(0))
    where = torch.tensor([[0.1, -0.4], [-1.0, 0.9], [0.3, 0.3]])
    together = glimpse(images, where, size=4, scales=2)
    for i in range(3):
        assert torch.equal(together[i : i + 1], glimpse(images[i : i + 1], where[i : i + 1], size=4, scales=2))


def test_a_place_needs_no_square_image():
    tall = torch.zeros(1, 40, 10)
    tall[0, 30, 5] = 1
    assert glimpse(tall, at(0.5, 0.0), size=2, scales=1).sum() == 1


def test_no_gradient_reaches_the_place_and_all_reaches_the_pixels():
    where, image = at(0.2, 0.1).requires_grad_(), torch.rand(1, 12, 12, requires_grad=True)
    glimpse(image, where, size=4, scales=2).sum().backward()
    assert where.grad is None
    # Each number of the coarse crop is a mean, so a pixel that only it covers counts a quarter.
    assert image.grad.unique().tolist() == [0, 0.25, 1.25]


def test_a_view_lays_the_fine_crop_on_the_coarse_one():
    crops = torch.tensor([[[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]]])
    assert mosaic(crops)[0].tolist() == [[5, 5, 6, 6], [5, 1, 2, 6], [7, 3, 4, 8], [7, 7, 8, 8]]


def test_a_view_of_one_scale_is_the_crop():
    crops = torch.rand(2, 1, 4, 4)
    assert torch.equal(mosaic(crops), crops[:, 0])


def test_the_numbers_of_a_glimpse_do_not_know_the_image():
    for side in (30, 60, 480):
        assert glimpse(torch.zeros(1, side, side), at(0, 0), size=8, scales=2).numel() == glimpse_size(8, 2) == 128


def test_the_smooth_sensor_agrees_at_whole_pixels_and_lies_halfway_between():
    images = torch.rand(2, 14, 18, generator=torch.Generator().manual_seed(0))
    step = torch.tensor([0.0, 2 / 18])  # a pixel to the right
    for down, across in ((1, 2), (5, -4), (-7, 9)):  # pixels from the middle; the last two stick out
        here = torch.tensor([[2 * down / 14, 2 * across / 18]]).expand(2, 2)
        now, then = glimpse(images, here, size=4, scales=2), glimpse(images, here + step, size=4, scales=2)
        torch.testing.assert_close(smooth_glimpse(images, here, size=4, scales=2), now)
        torch.testing.assert_close(smooth_glimpse(images, here + step / 2, size=4, scales=2), (now + then) / 2)


def test_the_gradient_of_the_smooth_sensor_is_that_of_small_moves():
    images = torch.rand(1, 12, 10, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    where = torch.tensor([[0.13, -0.21]], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda at: smooth_glimpse(images, at, size=4, scales=2), where)


def test_the_network_is_two_heads_on_one_hidden_layer():
    net = GlimpseNet(num_inputs=8, hidden_size=5, num_classes=3)
    crops = torch.rand(4, 2, 2, 2, generator=torch.Generator().manual_seed(0))
    logits, step = net(crops)
    h = net.hidden(crops.flatten(1)).relu()
    torch.testing.assert_close(logits, net.classifier(h))
    torch.testing.assert_close(step, net.step_head(h))
    assert (logits.shape, step.shape) == ((4, 3), (4, 2))


def test_an_odd_size_is_refused():
    with pytest.raises(ValueError, match=r"size: got 3 \(int\), expected an even number > 0"):
        glimpse(COUNTING, at(0, 0), size=3)


def calls():
    from attend.hard import glimpse

    IMAGES = torch.ones(2, 8, 8)
    LOCATIONS = torch.tensor([[0.0, 0.5], [-1.0, 0.2]])
    NET = glimpse.GlimpseNet(8, 5, 3)
    return {
        glimpse.corners: {"locations": LOCATIONS, "height": 8, "width": 8, "size": 4},
        glimpse.crop: {"images": IMAGES, "at": torch.tensor([[0, 1], [-2, 3]]), "size": 4},
        glimpse.glimpse: {"images": IMAGES, "locations": LOCATIONS, "size": 4, "scales": 2},
        glimpse.mosaic: {"crops": torch.ones(2, 2, 4, 4)},
        glimpse.smooth_glimpse: {"images": IMAGES, "locations": LOCATIONS, "size": 4, "scales": 2},
        glimpse.GlimpseNet: {"num_inputs": 8, "hidden_size": 5, "num_classes": 3},
        NET.forward: {"crops": torch.ones(2, 2, 2, 2)},
        glimpse.glimpse_size: {"size": 4, "scales": 2},
    }
