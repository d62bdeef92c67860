"""Each checker knows the solution, unusual right answers, the typical wrong ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn import functional as F

from attend.checks import glimpse
from attend.hard.glimpse import crop
from attend.hard.glimpse import glimpse as sensor


def ok_reach(width, size):
    scales = 1
    while size * 2 ** (scales - 1) < width:
        scales += 1
    return scales, scales * size**2


def ok_overlap(a, b, width, size):
    down, across = (abs(p - q) * width / 2 for p, q in zip(a, b, strict=True))
    return max(0, size - down) * max(0, size - across) / size**2


def begin(image, at, size):
    return [round((float(x) + 1) / 2 * n - size / 2) for x, n in zip(at, image.shape, strict=True)]


def ok_window(image, at, size):
    top, left = begin(image, at, size)
    framed = F.pad(image, (size, size, size, size))
    return framed[top + size : top + 2 * size, left + size : left + 2 * size]


def clamped(image, at, size):
    rows, columns = (
        torch.arange(at, at + size).clamp(0, n - 1) for at, n in zip(begin(image, at, size), image.shape, strict=True)
    )
    return image[rows[:, None], columns]


def pushed(image, at, size):
    top, left = (max(min(at, n - size), 0) for at, n in zip(begin(image, at, size), image.shape, strict=True))
    return F.pad(image, (0, size, 0, size))[top : top + size, left : left + size]


def around(image, at, size):
    rows, columns = ((torch.arange(size) + at) % n for at, n in zip(begin(image, at, size), image.shape, strict=True))
    return image[rows[:, None], columns]


def from_zero(image, at, size):
    corner = [round(a * n - size / 2) for a, n in zip(at, image.shape, strict=True)]
    return crop(image[None], torch.tensor([corner]), size)[0]


def swapped(image, at, size):
    return crop(image[None], torch.tensor([begin(image.T, at, size)]), size)[0]


def ok_glimpse(images, locations, pool=F.avg_pool2d):
    crops = []
    for k in range(3):
        windows = torch.stack([ok_window(x, at, 12 * 2**k) for x, at in zip(images, locations, strict=True)])
        crops.append(pool(windows[:, None], 2**k)[:, 0])
    return torch.stack(crops, dim=1)


def test_solutions_and_stubs():
    accepts(glimpse.reach, ok_reach)
    accepts(glimpse.window, ok_window)
    accepts(glimpse.overlap, ok_overlap)
    accepts(glimpse.build, ok_glimpse)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (glimpse.reach, lambda w, p: torch.tensor(ok_reach(w, p))),
        (glimpse.reach, lambda w, p: [np.float64(x) for x in ok_reach(w, p)]),
        (glimpse.reach, lambda w, p: (k := max(1, 1 + int(np.ceil(np.log2(w / p)))), k * p * p)),
        (glimpse.window, lambda image, at, size: ok_window(image, at, size).double().numpy()),
        (glimpse.window, lambda image, at, size: ok_window(image, torch.tensor(at), size).tolist()),
        (glimpse.overlap, lambda *given: torch.tensor(ok_overlap(*given))),
        (glimpse.overlap, lambda *given: np.float32(ok_overlap(*given))),
        (glimpse.build, sensor),
        (glimpse.build, lambda images, at: sensor(images, at).numpy()),
    ],
)
def test_other_right_answers_are_right(check, answer):
    outcome = check(answer)
    assert outcome.state == "right", outcome


def flat(images, at):
    return sensor(images, at)[:, :1].expand(-1, 3, -1, -1)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (glimpse.reach, lambda w, p: (ok_reach(w, p)[0] + 1, 0), "one scale fewer is enough"),
        (glimpse.reach, lambda w, p: (max(1, ok_reach(w, p)[0] - 1), p * p), "scales cover 24 pixels only"),
        (glimpse.reach, lambda w, p: (k := ok_reach(w, p)[0], (p * 2 ** (k - 1)) ** 2), "widest window covers"),
        (glimpse.reach, lambda w, p: (ok_reach(w, p)[0], p * p), "a crop of its own"),
        (glimpse.reach, lambda w, p: (ok_reach(w, p)[0], 1), "how many numbers they give is not"),
        (glimpse.reach, lambda w, p: ok_reach(w, p) if w > 12 else (0, 0), "one crop at least"),
        (glimpse.window, pushed, "pushed back"),
        (glimpse.window, clamped, "you repeat the nearest"),
        (glimpse.window, around, "other side"),
        (glimpse.window, lambda x, at, size: ok_window(x, at[::-1], size), "(down, across)"),
        (glimpse.window, from_zero, "0 is the middle of the image"),
        (glimpse.window, swapped, "counted in the height"),
        (glimpse.window, lambda x, at, size: ok_window(x + 0.01, at, size), "other pixels"),
        (glimpse.window, lambda x, at, size: torch.zeros(size, size), "other pixels"),
        (glimpse.window, lambda x, at, size: x, "a tensor of shape"),
        (glimpse.overlap, lambda a, b, w, p: 1 - ok_overlap(a, b, w, p), "the share which is new"),
        (glimpse.overlap, lambda a, b, w, p: ok_overlap(a, b, 2 * w, p), "half the image"),
        (glimpse.overlap, lambda a, b, w, p: ok_overlap(a, b, w, p) * p**2, "between 0 and 1"),
        (glimpse.overlap, lambda a, b, w, p: (s := ok_overlap(a, b, w, p)) / (2 - s), "of the second window"),
        (
            glimpse.overlap,
            lambda a, b, w, p: (p - abs(a[0] - b[0]) * w / 2) * (p - abs(a[1] - b[1]) * w / 2) / p**2,
            "windows that lie apart",
        ),
        (glimpse.overlap, lambda a, b, w, p: max(0, 1 - abs(a[0] - b[0]) * w / 2 / p), "along both axes"),
        (glimpse.build, lambda x, at: ok_glimpse(x, at, F.max_pool2d), "not its largest pixel"),
        (glimpse.build, lambda x, at: sensor(x, at).flip(1), "the sharpest crop comes first"),
        (glimpse.build, lambda x, at: sensor(x, at.flip(1)), "(down, across)"),
        (glimpse.build, lambda x, at: sensor(x, at[:1].expand(len(x), 2)), "a location of its own"),
        (glimpse.build, lambda x, at: ok_glimpse(x, at, lambda w, n: F.lp_pool2d(w, 1, n)), "not the sum"),
        (glimpse.build, lambda x, at: ok_glimpse(x, at, lambda w, n: w[..., ::n, ::n]), "one pixel of it"),
        (glimpse.build, flat, "all three crops are the sharp one"),
        (glimpse.build, lambda x, at: sensor(x, at) + torch.tensor([0, 1.0, 0])[:, None, None], "that cover 24 pixels"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
