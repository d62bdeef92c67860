"""Maps of where a network looks beside autograd and differences; pooling beside torch's attention."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from attend.soft import saliency
from attend.soft.saliency import PooledNet, grad_cam, gradient_map, integrated_gradients, share_inside

POOLS = ("average", "max", "attention")


@pytest.fixture(scope="module")
def images():
    images = torch.zeros(3, 20, 20)
    images[0, 4:12, 6] = images[1, 9, 3:17] = 0.9
    images[2] = torch.rand(20, 20, generator=torch.Generator().manual_seed(0))
    return images


LABELS = torch.tensor([3, 0, 9])


def drawn(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def net(pool="average"):
    """A net whose batch norm has seen something, and whose query asks for something."""
    torch.manual_seed(1)
    model = PooledNet(pool)
    model.features(torch.rand(8, 1, 20, 20))
    if pool == "attention":
        nn.init.normal_(model.query)
    return model.eval().requires_grad_(False)


@pytest.mark.parametrize("pool", POOLS)
def test_the_gradient_says_how_far_the_logit_moves(pool, images):
    model, step = net(pool).double(), 1e-6 * drawn(20, 20, seed=2).double()
    images = (images + 0.01 * drawn(3, 20, 20, seed=3)).double()
    found = (gradient_map(model, images, LABELS) * step).sum((1, 2))
    moved = (model(images + step) - model(images - step))[torch.arange(3), LABELS] / 2
    torch.testing.assert_close(found, moved, rtol=1e-3, atol=1e-12)


@pytest.mark.nightly
def test_integrated_gradients_add_up_to_what_the_logit_gains(images):
    model = net().double()
    given = integrated_gradients(model, images.double(), LABELS, steps=300)
    gained = (model(images.double()) - model(0 * images.double()))[torch.arange(3), LABELS]
    torch.testing.assert_close(given.sum((1, 2)), gained, rtol=2e-2, atol=2e-3)
    assert not given[images == 0].any()


def test_grad_cam_of_average_pooling_is_the_votes_of_the_positions(images):
    model = net()
    with torch.no_grad():
        maps = model.features(images[:, None])
    votes = torch.einsum("bc,bcrs->brs", model.classifier.weight[LABELS], maps) / maps[0, 0].numel()
    logits = model(images)[torch.arange(3), LABELS]
    torch.testing.assert_close(votes.sum((1, 2)) + model.classifier.bias[LABELS], logits)
    large = F.interpolate(votes.relu()[:, None], size=(20, 20), mode="bilinear")[:, 0]
    torch.testing.assert_close(grad_cam(model, images, LABELS), large)


def test_attention_pooling_is_torchs_attention_in_values_and_gradients():
    model, maps = net("attention").requires_grad_(), drawn(2, 48, 3, 5).requires_grad_()
    places = maps.flatten(2).mT  # (B, S, C)
    read = F.scaled_dot_product_attention(model.query.expand(2, 1, 48), places, places, scale=1.0)
    ours, theirs = model.classify(maps), model.classifier(read[:, 0])
    torch.testing.assert_close(ours, theirs)
    sides = (torch.autograd.grad(y.square().sum(), [maps, model.query]) for y in (ours, theirs))
    for one, other in zip(*sides, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_with_attention_every_gradient_is_a_multiple_of_the_weight():
    model, maps = net("attention").double(), drawn(1, 48, 3, 5).double().requires_grad_()
    (found,) = torch.autograd.grad(model.classify(maps)[0, 4], maps)
    h, a, w, q = maps[0].flatten(1).mT, model.weights(maps).flatten(), model.classifier.weight[4], model.query
    by_hand = a[:, None] * (w + ((h - a @ h) @ w)[:, None] * q)
    torch.testing.assert_close(found[0].flatten(1).mT, by_hand.detach())


def test_a_fresh_query_averages(images):
    torch.manual_seed(0)
    model = PooledNet("attention").eval()
    found = model(images)
    model.pool = "average"
    torch.testing.assert_close(found, model(images))


def test_the_share_inside_a_box():
    maps = torch.tensor([[[1.0, -3.0], [0, 4]], [[0, 0], [0, 0]]])
    box = torch.tensor([[[1.0, 1.0], [0, 0]]]).expand(2, -1, -1)
    assert share_inside(maps, box).tolist() == [0.5, 0]


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: PooledNet("median"), "pool: got"),
        (lambda: PooledNet()(torch.rand(1, 3, 9)), "images: got"),
        (lambda: gradient_map(net(), torch.rand(1, 9, 9), torch.tensor([10])), "labels: got"),
        (lambda: integrated_gradients(net(), torch.rand(1, 9, 9), torch.tensor([1]), 0), "steps: got 0"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
    model = PooledNet("attention").eval()
    asked = {"model": model, "images": images, "labels": torch.tensor([1, 2])}
    return {
        saliency.conv_block: {"in_channels": 2, "out_channels": 3},
        PooledNet: {"pool": "max", "num_classes": 3},
        model.forward: {"images": images},
        saliency.gradient_map: asked,
        saliency.integrated_gradients: {**asked, "steps": 2},
        saliency.grad_cam: asked,
        saliency.share_inside: {"maps": images, "boxes": torch.ones(2, 16, 16)},
    }


def good():
    model = PooledNet()
    return {
        model.forward: {"images": {"width"}},
    }
