"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.nn.functional import conv2d, max_pool2d

from attend.checks import convnet


def count(n, k, s, p):
    return (n + 2 * p - k) // s + 1


def test_the_number_of_windows_may_come_in_any_form():
    accepts(convnet.size, count)
    for form in (np.int64, torch.tensor, float, lambda number: np.array([number])):
        assert convnet.size(lambda *row, form=form: form(count(*row))).state == "right"
    assert convnet.size(lambda n, k, s, p: len(range(-p, n + p - k + 1, s))).state == "right"


@pytest.mark.parametrize(("says", "slip"), convnet.SLIPS.items())
def test_slips_of_the_number_of_windows_are_named(says, slip):
    refuses(convnet.size, slip, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda n, k, s, p: round((n + 2 * p - k) / s + 1), "there are 3, you count 4"),
        (lambda n, k, s, p: n, "you count 5"),
        (lambda n, k, s, p: "many", "must be a number"),
    ],
)
def test_other_numbers_of_windows_are_wrong(answer, says):
    refuses(convnet.size, answer, says=says)


def by_hand(x, kernel, grad):
    dx, dkernel = torch.zeros_like(x), torch.zeros_like(kernel)
    for i in range(grad.shape[0]):
        for j in range(grad.shape[1]):
            window = slice(i, i + kernel.shape[0]), slice(j, j + kernel.shape[1])
            dx[window] += grad[i, j] * kernel
            dkernel += grad[i, j] * x[window]
    return dx, dkernel


def by_autograd(x, kernel, grad):
    x.requires_grad_()
    kernel.requires_grad_()
    conv2d(x[None, None], kernel[None, None])[0, 0].backward(grad)
    return x.grad, kernel.grad


def test_the_way_back_may_be_found_in_any_way():
    accepts(convnet.backward, by_hand)
    assert convnet.backward(by_autograd).state == "right"
    assert convnet.backward(lambda *given: [one.double().numpy() for one in by_hand(*given)]).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: by_hand(*given)[::-1], "exchanged"),
        (lambda *given: by_hand(*given)[0], "one came back"),
        (lambda x, k, g: (by_hand(x, k.flip(0, 1), g)[0], by_hand(x, k, g)[1]), "the kernel is turned round"),
        (lambda x, k, g: (by_hand(x, k, g)[0], by_hand(x, k, g)[1] / g.numel()), "do not average"),
        (lambda x, k, g: (by_hand(x, k, g)[0], by_hand(x, k, g)[1].flip(0, 1)), "K[p, q] met"),
        (lambda x, k, g: by_hand(x, k, torch.ones_like(g)), "counts as much as its `grad`"),
        (lambda x, k, g: (convnet.overwritten(x, k, g), by_hand(x, k, g)[1]), "do not overwrite"),
        (lambda x, k, g: (g, by_hand(x, k, g)[1]), "the image's gradient must be a tensor of shape (7, 9)"),
        (lambda x, k, g: (x, k), "sum over positions"),
        (lambda x, k, g: (x, by_hand(x, k, g)[1]), "to its own window"),
    ],
)
def test_slips_of_the_way_back_are_named(answer, says):
    refuses(convnet.backward, answer, says=says)


STACK = [(3, 2), (3, 2), (3, 1), (3, 1), (3, 1)]


def test_a_stack_may_come_in_any_form():
    accepts(convnet.stack, STACK)
    for form in (np.array, torch.tensor, tuple, lambda pairs: [[float(value) for value in pair] for pair in pairs]):
        assert convnet.stack(form(STACK)).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([(3, 1)] * 5, "sees 11 pixels"),
        (STACK[::-1], "sees 13 pixels"),
        ([(3, 2)] * 5, "32 pixels apart"),
        ([(5, 1)] * 5, "kernels are 1 to 3"),
        ([(3, 4), *[(3, 1)] * 4], "leaves inputs out"),
        ([*STACK, (3, 1)], "6 layers"),
        ([], "0 layers"),
        (5, "a list of pairs"),
        ([(3, 1), (3,)], "layer 2 must be 2 values"),
        ([(3, 1.5)], "whole number"),
    ],
)
def test_slips_of_the_stack_are_named(answer, says):
    refuses(convnet.stack, answer, says=says)


class Small(nn.Module):
    def __init__(self, first=4, second=8):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, first, 5), nn.Conv2d(first, second, 5)
        self.output = nn.Linear(16 * second, 10)

    def forward(self, images):
        x = max_pool2d(self.conv1(images[:, None]).relu(), 2)
        return self.output(max_pool2d(self.conv2(x).relu(), 2).flatten(1))


class OneImage(Small):
    def forward(self, images):
        return super().forward(images)[0]


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(convnet, "RACE", convnet.Race(steps=40, enough=0.4))


def test_a_net_of_ones_own_is_trained(short):
    assert convnet.build(Small).state == "right"
    assert convnet.build(...).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda: Small(8, 16), "at most 3,000"),
        (lambda: nn.Sequential(nn.Flatten(), nn.Linear(784, 3), nn.Sigmoid(), nn.Linear(3, 10)), "does it train?"),
        (OneImage, "logits must be a tensor of shape"),
        (lambda: nn.Conv2d(1, 10, 28), "your model stopped"),
        (lambda: lambda images: images, "an nn.Module"),
        (nn.Flatten, "an nn.Module"),
    ],
)
def test_slips_of_the_net_are_named(short, answer, says):
    refuses(convnet.build, answer, says=says)
