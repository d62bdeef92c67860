"""What page convnet measures is what its sentence is about."""

import pytest
import torch

from attend.evidence.convnet import Narrow, canvases, effective_field, peaks, region_weights
from attend.memory.convnet import ConvNet
from attend.tasks import digits


def test_region_weights_are_shares_of_the_sum_that_wins():
    torch.manual_seed(0)
    net, images = ConvNet((2, 3)), torch.rand(3, 36, 32)
    weights, logits = region_weights(net, images), net(images)
    assert weights.shape == (3, 3, 2)
    terms = net.maps(images)["logits"][torch.arange(3), logits.argmax(dim=1)]
    torch.testing.assert_close(weights * logits.amax(dim=1).exp()[:, None, None], terms.exp())


def test_peaks_are_the_largest_values_of_each_map():
    torch.manual_seed(0)
    net, images = ConvNet((2, 3)).requires_grad_(False), torch.rand(5, 28, 28)
    assert torch.equal(peaks(net, images, "conv2"), net.maps(images)["conv2"].flatten(2).max(dim=2).values)


def test_a_canvas_holds_its_digit_at_the_corner_that_is_given():
    wide, labels, corners = canvases(60, 3)
    image, (row, column) = digits.digits("test").images[7], corners[7].tolist()
    assert torch.equal(wide[7, row : row + 28, column : column + 28], image)
    assert wide[7].sum() == pytest.approx(image.sum().item())
    assert torch.equal(labels, digits.digits("test").labels)


def test_every_pixel_of_a_field_counts_a_little():
    strength = effective_field(3, 0)
    assert strength.shape == (7, 7)
    assert bool((strength > 0).all())
    assert strength[2:5, 2:5].sum() > 9 / 49 * strength.sum()


def test_the_narrow_network_has_as_few_weights_as_the_convnet():
    narrow = Narrow("dense", 10).build()
    few, many = (sum(weights.numel() for weights in net.parameters()) for net in (narrow, ConvNet()))
    assert few == 5_575 < many
    assert narrow(torch.rand(2, 28, 28)).shape == (2, 10)
    assert torch.equal(narrow[1].weight, Narrow("dense", 10).build()[1].weight)
