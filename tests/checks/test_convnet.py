import pytest
import torch
import torch.nn.functional as F

from attend.checks import convnet


def stub(*_): ...


def test_size():
    assert convnet.size(lambda n, k, s, p: (n + 2 * p - k) // s + 1).state == "right"
    assert convnet.size(stub).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda n, k, s, p: (n + 2 * p - k) // s, "the first window counts too"),
        (lambda n, k, s, p: (n + p - k) // s + 1, "on both sides"),
        (lambda n, k, s, p: (n - k) // s + 1, "the padding is missing"),
        (lambda n, k, s, p: n + 2 * p - k + 1, "begin every 2 pixels"),
        (lambda n, k, s, p: (n + 2 * p - k) / s + 1, "whole number"),
        (lambda n, k, s, p: -(-(n + 2 * p - k) // s) + 1, "sticks out"),
        (lambda n, k, s, p: n, "28 pixels, windows of 5"),
        (lambda n, k, s, p: 1 / 0, "stopped with ZeroDivisionError"),
    ],
)
def test_size_wrong(answer, says):
    outcome = convnet.size(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says


def test_field():
    assert convnet.field(lambda f, layer: (f[0] + (layer[0] - 1) * f[1], f[1] * layer[1])).state == "right"
    assert convnet.field(stub).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda f, layer: (f[0] + layer[0] - 1, f[1] * layer[1]), "not pixels"),
        (lambda f, layer: (f[0] + layer[0] * f[1], f[1] * layer[1]), "from its first to its last"),
        (lambda f, layer: (f[0] + (layer[0] - 1) * f[1] * layer[1], f[1] * layer[1]), "not its own window"),
        (lambda f, layer: (f[0] + (layer[0] - 1) * f[1], layer[1]), "strides multiply"),
        (lambda f, layer: (f[0] * layer[0], f[1] * layer[1]), "got (9, 1), expected (5, 1)"),
        (lambda f, layer: f[0] + layer[0], "(size, jump) must be 2 values"),
        (lambda f, layer: (1, 2, 3), "must be 2 values, got 3"),
    ],
)
def test_field_wrong(answer, says):
    outcome = convnet.field(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says


def right(image):
    rows, columns = image.shape[0] // 2 * 2, image.shape[1] // 2 * 2
    image = image[:rows, :columns]
    return torch.stack([image[y::2, x::2] for y in (0, 1) for x in (0, 1)]).amax(dim=0)


def test_pool():
    assert convnet.pool(right).state == "right"
    assert convnet.pool(stub).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda image: F.max_pool2d(image[None], 2, stride=1)[0], "side by side"),
        (lambda image: F.max_pool2d(image[None], 2, ceil_mode=True)[0], "fills no window"),
        (lambda image: right(image).clamp(min=0), "negative"),
        (lambda image: F.avg_pool2d(image[None], 2)[0], "mean"),
        (lambda image: image[: image.shape[0] // 2 * 2 : 2, : image.shape[1] // 2 * 2 : 2], "forgets the other three"),
        (lambda image: -right(-image), "not the largest"),
    ],
)
def test_pool_wrong(answer, says):
    outcome = convnet.pool(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says
