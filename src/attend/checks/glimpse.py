"""Exercises of the page on glimpses."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, max_pool2d

from attend.checks.answers import number, parts, recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.hard import glimpse as sensor

DRAWS = ((0, 9, 14, 5), (1, 13, 7, 6), (2, 6, 11, 8))
"""Of the windows: a seed, the height and the width of the image, the size of the window."""

AT = ((0.28, 0.4), (-0.96, 0.23), (0.96, 0.97), (-0.08, -0.95))
"""Locations inside, at an edge and near corners; none of them puts a window halfway between two pixels."""


def _image(seed: int, *shape: int) -> Tensor:
    return 0.1 + 0.9 * torch.rand(*shape, generator=torch.Generator().manual_seed(seed))


@exercise
def reach(scales_for: Callable) -> str:
    """scales_for(width, size) -> (scales, numbers): the fewest scales whose widest window covers `width` pixels."""
    drawn = torch.randint(1, 3_000, (6,), generator=torch.Generator().manual_seed(0)).tolist()
    cases = [
        (48, 12),
        (60, 12),
        (7, 12),
        (480, 12),
        (5, 8),
        (97, 12),
        *zip(drawn, (6, 8, 10, 14, 22, 26), strict=True),
    ]
    for width, size in cases:
        scales, numbers = (whole(x) for x in parts(scales_for(width, size), 2, "the answer"))
        right = 1
        while size * 2 ** (right - 1) < width:
            right += 1
        if (scales, numbers) == (right, right * size**2):
            continue
        where = f"crops of {size}, an image {width} pixels wide"
        if scales < 1:
            raise Wrong(f"{where}: there is always one crop at least")
        if scales < right:
            raise Wrong(f"{where}: {scales} scales cover {size * 2 ** (scales - 1)} pixels only")
        if scales > right:
            covers = size * 2 ** (scales - 2)
            raise Wrong(f"{where}: one scale fewer is enough, its widest window covers {covers} pixels already")
        if numbers == (size * 2 ** (right - 1)) ** 2:
            raise Wrong("those are the pixels that the widest window covers; each crop is made of size² numbers")
        if numbers == size**2 and right > 1:
            raise Wrong("every scale has a crop of its own, with size² numbers")
        raise Wrong(f"{where}: the number of scales is right, how many numbers they give is not")
    return "An image twice as wide has four times the pixels, and takes one scale more."


@exercise
def window(crop_at: Callable) -> str:
    """crop_at(image, location, size) -> (size, size): the pixels around a location, and 0 where there is no image."""
    for seed, height, width, size in DRAWS:
        for at in AT:
            image = _image(seed, height, width)
            row, column = sensor.corners(torch.tensor([at]), height, width, size)[0].tolist()
            got = tensor(crop_at(image.clone(), at, size), size, size, what="the crop")
            right = _cut(image, row, column, size)
            if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
                continue
            recognise(got, _misplaced(image, at, size, row, column))
            raise Wrong(
                f"an image of {height} × {width} pixels, location {at}, size {size}: the window begins at row {row}, "
                f"column {column}; yours shows other pixels"
            )
    return "This is the sensor at one scale. It reads size² pixels, however large the image is."


def _cut(image: Tensor, row: int, column: int, size: int) -> Tensor:
    return sensor.crop(image[None], torch.tensor([[row, column]]), size)[0]


def _misplaced(image: Tensor, at: tuple[float, float], size: int, row: int, column: int) -> dict[str, Tensor]:
    (height, width), steps = image.shape, torch.arange(size)
    across, down = sensor.corners(torch.tensor([at[::-1]]), height, width, size)[0].tolist()
    turned = sensor.corners(torch.tensor([at]), width, height, size)[0].tolist()
    rows, columns = (row + steps).clamp(0, height - 1), (column + steps).clamp(0, width - 1)
    inside = max(min(row, height - size), 0), max(min(column, width - size), 0)
    found = {
        "the window was pushed back into the image; let it stick out, so that the location is its middle": _cut(
            image, *inside, size
        ),
        "outside the image every pixel is 0; you repeat the nearest one": image[rows[:, None], columns],
        "the image goes on at its other side, as negative indices do; outside it everything is 0": image[
            (row + steps)[:, None] % height, (column + steps) % width
        ],
        "the location is the middle of the window, not its first pixel": _cut(
            image, *sensor.corners(torch.tensor([at]), height, width, 1)[0].tolist(), size
        ),
        "a location is (down, across): the first number gives the row": _cut(image, across, down, size),
        "rows are counted in the height of the image, columns in its width": _cut(image, *turned, size),
        "a location runs from −1 to 1, and 0 is the middle of the image": _cut(
            image, *(round(x * n - size / 2) for x, n in zip(at, image.shape, strict=True)), size
        ),
    }
    return {says: mistaken for says, mistaken in found.items() if bool(mistaken.any())}


@exercise
def overlap(seen_twice: Callable) -> str:
    """seen_twice(a, b, width, size) -> the share of the window around b that lies in the window around a."""
    generator = torch.Generator().manual_seed(3)
    drawn = [(0.9 * torch.rand(2, 2, generator=generator) - 0.45).tolist() for _ in range(6)]
    cases = [
        (*pair, width, size) for pair, (width, size) in zip(drawn, ((60, 48), (97, 44), (33, 12)) * 2, strict=True)
    ]
    cases += [((0.2, 0.1), (0.2, 0.1), 60, 48), ((-0.9, -0.9), (0.9, 0.9), 60, 12), ((0.0, -0.5), (0.0, 0.75), 60, 12)]
    for a, b, width, size in cases:
        got = number(seen_twice(tuple(a), tuple(b), width, size), "the share")
        away = [abs(p - q) * width / 2 for p, q in zip(a, b, strict=True)]
        right = max(0.0, size - away[0]) * max(0.0, size - away[1]) / size**2
        if abs(got - right) <= 1e-3 * max(right, 1e-2):
            continue
        free = (size - away[0]) * (size - away[1]) / size**2
        shared = right * size**2
        mistakes = {
            "windows that lie apart share nothing: each side of what they share is 0 at least": (free, max(free, 0.0)),
            "a step of 1 is half the image, width / 2 pixels": tuple(
                max(0.0, size - k * away[0]) * max(0.0, size - k * away[1]) / size**2 for k in (2, 2 / width)
            ),
            "the share is of the second window, not of all that both of them cover": (shared / (2 * size**2 - shared),),
            "a share lies between 0 and 1: divide by the pixels of a window": (shared,),
            "divide by the pixels of a window, not of the image": (shared / width**2,),
            "that is the share which is new": (1 - right,),
            "windows can be moved along both axes: multiply the two sides": tuple(max(0.0, 1 - x / size) for x in away),
            "the windows are squares: what counts is how far they are moved down and across, not the distance": (
                max(0.0, 1 - (away[0] ** 2 + away[1] ** 2) ** 0.5 / size),
            ),
        }
        for says, wrong in mistakes.items():
            if any(abs(got - one) <= 1e-3 * max(abs(one), 1e-2) for one in wrong):
                raise Wrong(says)
        raise Wrong(f"locations {_said(a)} and {_said(b)}, {width} pixels, windows of {size}: the share is another")
    return "A look that is not moved shows nothing new; one that is moved by its own width shows only what is new."


def _said(location: tuple[float, float]) -> str:
    return f"({location[0]:.2f}, {location[1]:.2f})"


@exercise
def build(my_glimpse: Callable) -> str:
    """my_glimpse(images, locations) -> (B, 3, 12, 12): crops of 12 x 12 numbers at three scales, as the page's own."""
    for seed, (B, height, width) in enumerate(((3, 61, 47), (5, 37, 80))):
        images = _image(seed, B, height, width)
        locations = torch.tensor([*AT, (0.53, 0.62)])[:B]
        got = tensor(my_glimpse(images.clone(), locations.clone()), B, 3, 12, 12, what="the glimpse")
        right = sensor.glimpse(images, locations)
        if torch.allclose(got, right, rtol=1e-3, atol=1e-5):
            continue
        patch = sensor.crop(images, sensor.corners(locations, height, width, 48), 48)
        full = [patch[:, e : 48 - e, e : 48 - e] for e in (18, 12, 0)]
        recognise(
            got,
            {
                "the sharpest crop comes first": right.flip(1),
                "a location is (down, across)": sensor.glimpse(images, locations.flip(1)),
                "every image has a location of its own": sensor.glimpse(images, locations[:1].expand(B, 2)),
                "take the mean of each block, not its largest pixel": torch.stack(
                    [max_pool2d(one, 2**k) for k, one in enumerate(full)], dim=1
                ),
                "take the mean of each block; one pixel of it is not enough": torch.stack(
                    [one[:, :: 2**k, :: 2**k] for k, one in enumerate(full)], dim=1
                ),
                "take the mean of each block, not the sum": torch.stack(
                    [4**k * avg_pool2d(one, 2**k) for k, one in enumerate(full)], dim=1
                ),
                "all three crops are the sharp one; the second covers 24 × 24 pixels, the third 48 × 48": right[
                    :, :1
                ].expand(B, 3, 12, 12),
            },
        )
        wrong = [k for k in range(3) if not torch.allclose(got[:, k], right[:, k], rtol=1e-3, atol=1e-5)]
        which = " and ".join(str(12 * 2**k) for k in wrong)
        raise Wrong(f"images of {height} × {width}: not the crops that cover {which} pixels")
    return "It is yours now: train a reader with it, and keep it for the next page."
