"""The exercises of the page on glimpses."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.hard import glimpse

CASES = (((0.5, -0.25), 4), ((-1.0, 0.0), 4), ((1.0, 1.0), 6), ((0.0, -0.875), 8))
"""Places and sizes for an image of 8 x 16 pixels: inside, at an edge, at a corner, and wider than what is left."""

POINTS = ((8, 5, 8, 20), (15, 50, 60, 200), (7, 3, 28, 12), (0, 0, 60, 60), (30, 30, 60, 60))
"""Row, column, height and width."""


def _image(seed: int = 0) -> Tensor:
    return 0.1 + 0.9 * torch.rand(8, 16, generator=torch.Generator().manual_seed(seed))


def _seen(image: Tensor, row: int, column: int, size: int) -> Tensor:
    return glimpse.crop(image[None], torch.tensor([[row, column]]), size)[0]


@exercise
def place(place_of: Callable) -> str:
    """place_of(row, column, height, width) -> (down, across): the place of a point that lies so many pixels in."""
    for row, column, height, width in POINTS:
        got = [number(x, "each part of the place") for x in parts(place_of(row, column, height, width), 2, "the place")]
        right = (2 * row / height - 1, 2 * column / width - 1)
        mistakes = {
            "that is (across, down): in this course a place goes down first, as rows come before columns": right[::-1],
            "that runs from 0 to 1; a place is counted from the middle, and runs from −1 to 1": (
                row / height,
                column / width,
            ),
            "divide by the number of pixels: row 0 is the upper edge, and row `height` is the lower one": (
                2 * row / max(height - 1, 1) - 1,
                2 * column / max(width - 1, 1) - 1,
            ),
            "down is positive: a row further down has the larger place": (-right[0], right[1]),
            "rows are counted in the height, and columns in the width": (2 * row / width - 1, 2 * column / height - 1),
        }
        if max(abs(a - b) for a, b in zip(got, right, strict=True)) < 1e-6:
            continue
        for says, wrong in mistakes.items():
            if max(abs(a - b) for a, b in zip(got, wrong, strict=True)) < 1e-6:
                raise Wrong(says)
        raise Wrong(
            f"row {row}, column {column} of {height} × {width} pixels: got ({got[0]:.3f}, {got[1]:.3f}), "
            f"expected ({right[0]:.3f}, {right[1]:.3f})"
        )
    return "A place knows nothing of pixels: the same network can look at images of every size."


@exercise
def window(crop_at: Callable) -> str:
    """crop_at(image, place, size) -> (size, size): the pixels around a place, and 0 where there is no image."""
    for at, size in CASES:
        image = _image()
        row, column = glimpse.corners(torch.tensor([at]), 8, 16, size)[0].tolist()
        got = tensor(crop_at(image.clone(), at, size), size, size, what="the crop")
        right = _seen(image, row, column, size)
        if torch.allclose(got, right, atol=1e-6):
            continue
        half = size // 2
        inside = min(max(row, 0), 8 - size), min(max(column, 0), 16 - size)
        rows = torch.arange(row, row + size).clamp(0, 7)
        columns = torch.arange(column, column + size).clamp(0, 15)
        across, down = glimpse.corners(torch.tensor([at[::-1]]), 8, 16, size)[0].tolist()
        mistakes = {
            "the window was pushed back into the image; let it stick out, so that its middle is the place": _seen(
                image, *inside, size
            ),
            "outside the image there is empty paper, 0, not the nearest pixel": image[rows[:, None], columns],
            "the image goes on at its other side, as negative indices do; outside it is empty paper": image[
                torch.arange(row, row + size)[:, None] % 8, torch.arange(column, column + size) % 16
            ],
            "the place is the middle of the window, not its first pixel": _seen(image, row + half, column + half, size),
            "a place is (down, across): the first number chooses the row": _seen(image, across, down, size),
        }
        recognise(got, mistakes)
        raise Wrong(
            f"at {at} a crop of {size} × {size} begins at row {row}, column {column} of 8 × 16 pixels, "
            f"and its first number is {right[0, 0]:.3f}; got {got[0, 0]:.3f}"
        )
    return "That is all the sensor does at its finest scale. It reads size² pixels, however large the image is."


@exercise
def reach(scales_for: Callable) -> str:
    """scales_for(width, size) -> (scales, numbers): the fewest scales whose widest crop covers `width` pixels."""
    for width, size in ((48, 12), (60, 12), (12, 12), (480, 12), (5, 8), (1000, 8)):
        scales, handed = (whole(x) for x in parts(scales_for(width, size), 2))
        right = 1
        while size * 2 ** (right - 1) < width:
            right += 1
        if (scales, handed) == (right, right * size**2):
            continue
        where = f"crops of {size}, an image of {width} pixels"
        if scales == right - 1 and scales > 0:
            raise Wrong(f"{where}: with {scales} scales the widest crop covers only {size * 2 ** (scales - 1)} pixels")
        if scales == right - 1:
            raise Wrong(f"{where}: even a single scale is one crop; the first covers size pixels, not twice as many")
        if scales > right:
            raise Wrong(f"{where}: {right} scales are enough, the widest crop covers size · 2^(scales − 1) pixels")
        if scales == right and handed == (size * 2 ** (right - 1)) ** 2:
            raise Wrong(
                "those are the pixels that the widest crop covers; it hands on size² numbers, as every crop does"
            )
        if scales == right and handed == size**2:
            raise Wrong("every scale hands on size² numbers of its own")
        raise Wrong(f"{where}: expected {right} scales and {right * size**2} numbers, got {scales} and {handed}")
    return "An image twice as wide has four times the pixels, and costs one more scale: size² numbers."
