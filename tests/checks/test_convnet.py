"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
import torch.nn.functional as F
from tests.checks.verdicts import accepts, refuses

from attend.checks import convnet


def ok_size(n, k, s, p):
    return (n + 2 * p - k) // s + 1


def ok_field(f, layer):
    return (f[0] + (layer[0] - 1) * f[1], f[1] * layer[1])


def ok_pool(image):
    rows, columns = image.shape[0] // 2 * 2, image.shape[1] // 2 * 2
    image = image[:rows, :columns]
    return torch.stack([image[y::2, x::2] for y in (0, 1) for x in (0, 1)]).amax(dim=0)


@pytest.mark.parametrize(
    ("check", "answer"), [(convnet.size, ok_size), (convnet.field, ok_field), (convnet.pool, ok_pool)]
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (convnet.size, lambda n, k, s, p: (n + 2 * p - k) // s, "the first window counts too"),
        (convnet.size, lambda n, k, s, p: (n + p - k) // s + 1, "on both sides"),
        (convnet.size, lambda n, k, s, p: (n - k) // s + 1, "the padding is missing"),
        (convnet.size, lambda n, k, s, p: n + 2 * p - k + 1, "begin every 2 pixels"),
        (convnet.size, lambda n, k, s, p: (n + 2 * p - k) / s + 1, "whole number"),
        (convnet.size, lambda n, k, s, p: -(-(n + 2 * p - k) // s) + 1, "sticks out"),
        (convnet.size, lambda n, k, s, p: n, "28 pixels, windows of 5"),
        (convnet.size, lambda n, k, s, p: 1 / 0, "stopped with ZeroDivisionError"),
        (convnet.field, lambda f, layer: (f[0] + layer[0] - 1, f[1] * layer[1]), "not pixels"),
        (convnet.field, lambda f, layer: (f[0] + layer[0] * f[1], f[1] * layer[1]), "from its first to its last"),
        (
            convnet.field,
            lambda f, layer: (f[0] + (layer[0] - 1) * f[1] * layer[1], f[1] * layer[1]),
            "not its own window",
        ),
        (convnet.field, lambda f, layer: (f[0] + (layer[0] - 1) * f[1], layer[1]), "strides multiply"),
        (convnet.field, lambda f, layer: (f[0] * layer[0], f[1] * layer[1]), "got (9, 1), expected (5, 1)"),
        (convnet.field, lambda f, layer: f[0] + layer[0], "(size, jump) must be 2 values"),
        (convnet.field, lambda f, layer: (1, 2, 3), "must be 2 values, got 3"),
        (convnet.pool, lambda image: F.max_pool2d(image[None], 2, stride=1)[0], "side by side"),
        (convnet.pool, lambda image: F.max_pool2d(image[None], 2, ceil_mode=True)[0], "fills no window"),
        (convnet.pool, lambda image: ok_pool(image).clamp(min=0), "negative"),
        (convnet.pool, lambda image: F.avg_pool2d(image[None], 2)[0], "mean"),
        (
            convnet.pool,
            lambda image: image[: image.shape[0] // 2 * 2 : 2, : image.shape[1] // 2 * 2 : 2],
            "forgets the other three",
        ),
        (convnet.pool, lambda image: -ok_pool(-image), "not the largest"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
