"""The figure that searches: canvases to look at, a model to look with, and torch beside it."""

from functools import cache

import pytest
import torch

from attend.hard.ram import RAM
from attend.live.ram import Glimpses
from attend.tasks import signs

T, WIDTH = 4, 60
NAMES = ("30", "60", "70")


@cache
def crowd():
    """Four test canvases."""
    return signs.canvases("test", 4, WIDTH, generator=torch.Generator().manual_seed(5))


@cache
def unlearned():
    """Those of a model that has learned nothing, made larger, so that what it sees sends it about the canvas."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        model = RAM(num_classes=3).requires_grad_(False)
    torch.nn.init.uniform_(model.location_head.weight, -0.1, 0.1, generator=torch.Generator().manual_seed(2))
    for readout, times in (
        (model.where, 2),
        (model.location_head, 2),
    ):
        readout.weight *= times
    model.location_head.bias += torch.tensor([0.2, -0.3])
    return model.state_dict()


def figure(weights=None):
    """The canvases under the eyes of a model; without weights, of the one that has learned nothing."""
    canvases, labels, middles = crowd()
    weights = unlearned() if weights is None else weights
    return Glimpses(canvases, labels.tolist(), middles, weights, NAMES, start=1, sigma=0.2)


def in_torch(figure):
    """The model with the weights as the browser has them."""
    model = RAM(num_classes=3).requires_grad_(False)
    seen = figure.seen()
    model.load_state_dict({name: seen[name] for name in model.state_dict()})
    return model


def same(rows, wanted, **near):
    return torch.tensor(rows).flatten().tolist() == pytest.approx(wanted.flatten().tolist(), **near)


def agrees(figure, image, result):
    """Torch, sent to the same places, says the same after each glimpse and wants to go to the same next ones."""
    looks = in_torch(figure)(image[None], steps=T, given=torch.tensor(result["places"])[None])
    near = {"abs": 1e-4 * max(1.0, float(looks.logits.abs().max()))}
    assert same(result["scores"], looks.logits, **near)
    assert same(result["chances"], looks.logits.softmax(2), **near)
    assert same(result["means"], looks.means, **near)


def some_images(figure):
    stored = figure.seen()["canvases"].float() / 255
    noise = torch.rand(1, WIDTH, WIDTH, generator=torch.Generator().manual_seed(0))
    return torch.cat([stored, noise, torch.zeros(1, WIDTH, WIDTH)])
