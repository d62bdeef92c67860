"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import glimpse


def ok_place(row, column, height, width):
    return 2 * row / height - 1, 2 * column / width - 1


def ok_window(image, place, size):
    height, width = image.shape
    top = round((place[0] + 1) / 2 * height - size / 2)
    left = round((place[1] + 1) / 2 * width - size / 2)
    paper = torch.zeros(height + 2 * size, width + 2 * size)
    paper[size:-size, size:-size] = image
    return paper[top + size : top + 2 * size, left + size : left + 2 * size]


def begin(image, place, size):
    return [round((at + 1) / 2 * length - size / 2) for at, length in zip(place, image.shape, strict=True)]


def pushed(image, place, size):
    top, left = (min(max(at, 0), n - size) for at, n in zip(begin(image, place, size), image.shape, strict=True))
    return image[top : top + size, left : left + size]


def nearest(image, place, size):
    rows, columns = (
        torch.arange(at, at + size).clamp(0, n - 1)
        for at, n in zip(begin(image, place, size), image.shape, strict=True)
    )
    return image[rows[:, None], columns]


def around(image, place, size):
    top, left = begin(image, place, size)
    return image.roll((-top, -left), dims=(0, 1))[:size, :size]


def first(image, place, size):
    height, width = image.shape
    return ok_window(image, (place[0] + size / height, place[1] + size / width), size)


def ok_reach(width, size):
    scales = 1
    while size * 2 ** (scales - 1) < width:
        scales += 1
    return scales, scales * size**2


@pytest.mark.parametrize(
    ("check", "answer"), [(glimpse.place, ok_place), (glimpse.window, ok_window), (glimpse.reach, ok_reach)]
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (glimpse.place, lambda r, c, h, w: ok_place(r, c, h, w)[::-1], "goes down first"),
        (glimpse.place, lambda r, c, h, w: (r / h, c / w), "from −1 to 1"),
        (glimpse.place, lambda r, c, h, w: ok_place(r, c, h - 1, w - 1), "divide by the number of pixels"),
        (glimpse.place, lambda r, c, h, w: (1 - 2 * r / h, 2 * c / w - 1), "down is positive"),
        (glimpse.place, lambda r, c, h, w: ok_place(r, c, w, h), "rows are counted in the height"),
        (glimpse.place, lambda r, c, h, w: (0.0, 0.0), "expected (1.000, -0.500)"),
        (glimpse.place, lambda r, c, h, w: 0.5, "the place must be 2 values"),
        (glimpse.window, pushed, "pushed back"),
        (glimpse.window, nearest, "not the nearest pixel"),
        (glimpse.window, around, "other side"),
        (glimpse.window, first, "not its first pixel"),
        (glimpse.window, lambda x, at, size: ok_window(x, at[::-1], size), "(down, across)"),
        (glimpse.window, lambda x, at, size: torch.zeros(size, size), "begins at row 4"),
        (glimpse.window, lambda x, at, size: x, "(4, 4), got (8, 16)"),
        (glimpse.reach, lambda w, p: (ok_reach(w, p)[0] + 1, 0), "are enough"),
        (glimpse.reach, lambda w, p: (ok_reach(2 * w, 2 * p)[0] - 1, 0), "covers only 24 pixels"),
        (glimpse.reach, lambda w, p: (k := ok_reach(w, p)[0], (p * 2 ** (k - 1)) ** 2), "as every crop does"),
        (glimpse.reach, lambda w, p: (ok_reach(w, p)[0], p * p), "of its own"),
        (glimpse.reach, lambda w, p: (1, 1), "expected 3 scales and 432 numbers"),
        (glimpse.reach, lambda w, p: ok_reach(w, p) if w > 12 else (0, 0), "even a single scale"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
