"""A glimpse sensor: crops around one location of an image, each twice as wide as the one before and half as sharp.

Source   Mnih et al. 2014, arXiv:1406.6247, section 3.1 (the retina); lecture sankaran2019part5; for the smooth sensor
         Jaderberg et al. 2015, arXiv:1506.02025, section 3.3.
Departs  a location is rounded to a whole pixel, but by the smooth sensor; outside the image every pixel is 0.
Agrees   crops by hand at corners and edges; torch.nn.functional.avg_pool2d; the smooth sensor with the other one at
         whole pixels, and with a mean of two crops halfway between (tests/hard/test_glimpse.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import avg_pool2d, grid_sample

from attend.core.expect import checked, expect
from attend.core.types import Positive, Rule

Even = Annotated[int, Rule("an even number > 0", lambda size: size > 0 and size % 2 == 0)]


@checked
def corners(
    locations: Float[Tensor, "B 2"],
    height: Positive,
    width: Positive,
    size: Positive,
) -> Int[Tensor, "B 2"]:
    """Row and column of the first pixel of a `size` x `size` window centred on each location.

    A location (down, across) is counted from the middle of the image: −1 is its top or left edge, 1 its bottom or
    right edge. The window may reach beyond the image.
    """
    centre = (locations.detach() + 1) / 2 * locations.new_tensor([height, width])
    return (centre - size / 2).round().long()


@checked
def crop(
    images: Float[Tensor, "B Y X"],
    at: Int[Tensor, "B 2"],
    size: Positive,
) -> Float[Tensor, "B size size"]:
    """A `size` x `size` window of each image, its first pixel at row and column `at`; outside the image it is 0.

    Only the window's pixels are read, however large the image is.
    """
    height, width = images.shape[1:]
    rows, columns = (at[:, axis, None] + torch.arange(size, device=at.device) for axis in (0, 1))  # (B, size) each
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None]
    rows, columns = rows.clamp(0, height - 1), columns.clamp(0, width - 1)
    pixels = rows[:, :, None] * width + columns[:, None]  # (B, size, size)
    return images.flatten(1).gather(1, pixels.flatten(1)).view_as(pixels) * inside


@checked
def glimpse(
    images: Float[Tensor, "B Y X"],
    locations: Float[Tensor, "B 2"],
    size: Even = 12,
    scales: Positive = 3,
) -> Float[Tensor, "B scales size size"]:
    """`scales` crops of `size` x `size` numbers around each location, each covering twice the width of the last.

    Crop k covers size·2ᵏ x size·2ᵏ pixels; each of its numbers is the mean of 2ᵏ x 2ᵏ pixels. Locations are those of
    `corners`. No gradient reaches them.
    """
    wide = size * 2 ** (scales - 1)
    patch = crop(images, corners(locations, *images.shape[1:], wide), wide)  # (B, wide, wide)
    crops = []
    for _ in range(scales):
        edge = (patch.shape[1] - size) // 2
        crops.append(patch[:, edge : edge + size, edge : edge + size])
        patch = avg_pool2d(patch, 2)  # half as wide, half as sharp
    return torch.stack(crops, dim=1)


@checked
def mosaic(crops: Float[Tensor, "B K P P"]) -> Float[Tensor, "B W W"]:
    """All crops as one picture: the coarsest enlarged to all that it covers, the finer ones laid on its middle.

    With K crops of P x P numbers it is W = P·2ᴷ⁻¹ pixels wide.
    """
    scales, size = crops.shape[1], crops.shape[2]
    wide = size * 2 ** (scales - 1)
    picture = crops.new_zeros(len(crops), wide, wide)
    for k in reversed(range(scales)):
        edge, times = (wide - size * 2**k) // 2, 2**k
        enlarged = crops[:, k].repeat_interleave(times, dim=1).repeat_interleave(times, dim=2)
        picture[:, edge : wide - edge, edge : wide - edge] = enlarged
    return picture


@checked
def glimpse_size(size: Positive = 12, scales: Positive = 3) -> int:
    """How many numbers a glimpse has: size² for each scale, whatever the size of the image."""
    return scales * size**2


@checked
def smooth_glimpse(
    images: Float[Tensor, "B Y X"],
    locations: Float[Tensor, "B 2"],
    size: Even = 12,
    scales: Positive = 3,
) -> Float[Tensor, "B scales size size"]:
    """The same crops at locations that are not rounded: pixels are interpolated, and a gradient reaches the locations.

    Between pixels the value is that of bilinear interpolation, as in a spatial transformer.
    """
    height, width = images.shape[1:]
    wide = size * 2 ** (scales - 1)
    pixels = torch.arange(wide, device=images.device) - (wide - 1) / 2  # from the centre of the window, (wide)
    down = locations[:, :1] + 2 * pixels / height  # (B, wide)
    across = locations[:, 1:] + 2 * pixels / width  # (B, wide)
    grid = torch.stack([across[:, None].expand(-1, wide, -1), down[:, :, None].expand(-1, -1, wide)], dim=3)
    patch = grid_sample(images[:, None], grid, align_corners=False)[:, 0]  # (B, wide, wide)
    return glimpse(patch, torch.zeros_like(locations), size, scales)  # the patch around its own middle


class GlimpseNet(nn.Module):
    """What one glimpse shows, as class logits, and the step from its location to the middle of what is to be found."""

    @checked
    def __init__(self, num_inputs: Positive, hidden_size: Positive = 128, num_classes: Positive = 10):
        super().__init__()
        self.hidden = nn.Linear(num_inputs, hidden_size)
        self.classifier = nn.Linear(hidden_size, num_classes)
        self.step_head = nn.Linear(hidden_size, 2)

    @checked
    def forward(self, crops: Float[Tensor, "B *crops"]) -> tuple[Float[Tensor, "B C"], Float[Tensor, "B 2"]]:
        """Class logits, and the step (down, across) to take, in the units of a location."""
        expect(
            crops.flatten(1).shape[1] == self.hidden.in_features,
            "crops",
            crops,
            f"{self.hidden.in_features} numbers an image",
        )
        h = torch.relu(self.hidden(crops.flatten(1)))  # (B, H)
        return self.classifier(h), self.step_head(h)  # (B, C), (B, 2)
