"""A glimpse: crops of an image around one place, each twice as wide as the one before and as coarse.

Source   Mnih et al. 2014, arXiv:1406.6247, section 3.1 (the retina); lecture sankaran2019part5.
Departs  a place is rounded to a whole pixel; what lies outside the image is empty paper.
Agrees   crops by hand at corners and edges; torch.nn.functional.avg_pool2d (tests/hard/test_glimpse.py).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect


@checked
def corners(
    places: Float[Tensor, "B 2"],
    height: int,
    width: int,
    size: int,
) -> Int[Tensor, "B 2"]:
    """Row and column of the first pixel of a window of `size` x `size` around each place.

    A place (down, across) is counted from the middle of the image: −1 is its top or left edge, 1 its bottom or right
    edge. The window may stick out. Raises ValueError for sizes below 1.
    """
    for name, value in {"height": height, "width": width, "size": size}.items():
        expect(value > 0, name, value, "a positive whole number")
    middle = (places.detach() + 1) / 2 * places.new_tensor([height, width])
    return (middle - size / 2).round().long()


@checked
def crop(
    images: Float[Tensor, "B Y X"],
    at: Int[Tensor, "B 2"],
    size: int,
) -> Float[Tensor, "B size size"]:
    """A window of `size` x `size` pixels of each image, from row and column `at` on; outside the image it is 0.

    Only the pixels of the window are read, however large the image is. Raises ValueError for a size below 1.
    """
    expect(size > 0, "size", size, "a positive whole number")
    height, width = images.shape[1:]
    rows, columns = (at[:, axis, None] + torch.arange(size) for axis in (0, 1))
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None]
    rows, columns = rows.clamp(0, height - 1), columns.clamp(0, width - 1)
    pixels = rows[:, :, None] * width + columns[:, None]
    seen = images.flatten(1).gather(1, pixels.flatten(1))
    return seen.view_as(pixels) * inside


@checked
def glimpse(
    images: Float[Tensor, "B Y X"],
    places: Float[Tensor, "B 2"],
    size: int = 12,
    scales: int = 3,
) -> Float[Tensor, "B scales size size"]:
    """What is seen around a place: `scales` crops of `size` x `size` numbers, each twice as wide as the one before.

    Crop k covers size·2ᵏ x size·2ᵏ pixels, and each of its numbers is the mean of 2ᵏ x 2ᵏ of them. Places are those of
    `corners`; no gradient reaches them. Raises ValueError for an odd size, and for no scale.
    """
    expect(size > 0 and size % 2 == 0, "size", size, "an even number > 0")
    expect(scales > 0, "scales", scales, "a positive whole number")
    height, width = images.shape[1:]
    wide = size * 2 ** (scales - 1)
    seen = crop(images, corners(places, height, width, wide), wide)
    crops = [_middle(seen, size)]
    for _ in range(scales - 1):
        seen = _halved(seen)
        crops.append(_middle(seen, size))
    return torch.stack(crops, dim=1)


def _middle(seen: Tensor, size: int) -> Tensor:
    edge = (seen.shape[1] - size) // 2
    return seen[:, edge : edge + size, edge : edge + size]


def _halved(seen: Tensor) -> Tensor:
    """Every 2 x 2 numbers as their mean."""
    upper, lower = seen[:, ::2], seen[:, 1::2]
    return (upper[:, :, ::2] + upper[:, :, 1::2] + lower[:, :, ::2] + lower[:, :, 1::2]) / 4


@checked
def view(crops: Float[Tensor, "B K P P"]) -> Float[Tensor, "B W W"]:
    """The crops as one picture: the coarsest spread over all it covers, the finer ones laid on its middle.

    With K crops of P x P numbers it is W = P·2ᴷ⁻¹ pixels wide.
    """
    scales, size = crops.shape[1], crops.shape[2]
    wide = size * 2 ** (scales - 1)
    picture = crops.new_zeros(len(crops), wide, wide)
    for k in reversed(range(scales)):
        edge, each = (wide - size * 2**k) // 2, 2**k
        fine = crops[:, k].repeat_interleave(each, dim=1).repeat_interleave(each, dim=2)
        picture[:, edge : wide - edge, edge : wide - edge] = fine
    return picture


@checked
def numbers(size: int = 12, scales: int = 3) -> int:
    """How many numbers a glimpse hands on: size² for each scale, whatever the size of the image."""
    expect(size > 0, "size", size, "a positive whole number")
    expect(scales > 0, "scales", scales, "a positive whole number")
    return scales * size**2
