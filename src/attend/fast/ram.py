"""RAM on precomputed means: all numbers that a glimpse can ask for are made once for each image, then only picked.

Agrees   attend.hard.ram.RAM, in values, gradients and second derivatives (tests/fast/test_ram.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import avg_pool2d, pad

from attend.core.expect import checked, expect
from attend.core.types import NonNegativeFloat, Positive
from attend.hard.ram import RAM, Episode


def block_means(images: Tensor, scales: int) -> list[Tensor]:
    """For each scale k the mean of 2ᵏ x 2ᵏ pixels from every pixel on, with 2ᵏ rows and columns of margin."""
    means = [pad(images, (1, 1, 1, 1))]
    for k in range(scales - 1):
        wider = pad(means[-1], (2**k,) * 4)
        rows = wider[:, : -(2**k)] + wider[:, 2**k :]
        means.append((rows[:, :, : -(2**k)] + rows[:, :, 2**k :]) / 4)
    return means


def pick(means: list[Tensor], locations: Tensor, shape: tuple[int, int], size: int) -> Tensor:
    """The numbers of a glimpse (B, scales·size²) at an image of this height and width, from its block means."""
    wide, picked = size * 2 ** (len(means) - 1), []
    first = ((locations.detach() + 1) / 2 * locations.new_tensor(shape) - wide / 2).round().long()
    for k, mean in enumerate(means):
        offsets = torch.arange(size, device=first.device) * 2**k + (wide - size * 2**k) // 2 + 2**k
        rows, columns = (first[:, :, None] + offsets).unbind(dim=1)
        rows, columns = rows.clamp(0, mean.shape[1] - 1), columns.clamp(0, mean.shape[2] - 1)
        at = rows[:, :, None] * mean.shape[2] + columns[:, None]
        picked.append(mean.flatten(1).gather(1, at.flatten(1)))
    return torch.cat(picked, dim=1)


def crop_and_pool(images: Tensor, locations: Tensor, scales: int, size: int) -> Tensor:
    """The same numbers from the pixels under the sensor alone, whatever the size of the image."""
    (height, width), wide = images.shape[1:], size * 2 ** (scales - 1)
    first = ((locations.detach() + 1) / 2 * locations.new_tensor((height, width)) - wide / 2).round().long()
    rows, columns = (first[:, :, None] + torch.arange(wide, device=first.device)).unbind(dim=1)
    inside = ((rows >= 0) & (rows < height))[:, :, None] & ((columns >= 0) & (columns < width))[:, None]
    at = rows.clamp(0, height - 1)[:, :, None] * width + columns.clamp(0, width - 1)[:, None]
    patch, parts = images.flatten(1).gather(1, at.flatten(1)).view_as(at) * inside, []
    for k in range(scales):
        edge = (patch.shape[1] - size) // 2
        parts.append(patch[:, edge : edge + size, edge : edge + size].flatten(1))
        patch = avg_pool2d(patch, 2) if k < scales - 1 else patch
    return torch.cat(parts, dim=1)


class FastRAM(RAM):
    """A RAM whose glimpses are picked from means made once for each image; a large image is cropped instead."""

    @checked
    def forward(
        self,
        images: Float[Tensor, "B Y X"],
        steps: Positive = 4,
        sigma: NonNegativeFloat = 0.0,
        given: Float[Tensor, "B S 2"] | None = None,
    ) -> Episode:
        """What RAM's forward returns for the same arguments and the same draws."""
        S = 0 if given is None else given.shape[1]
        expect(steps >= S, "given", given, f"at most {steps} locations, one for each step")
        height, width = images.shape[1:]
        read = steps * (self.crop_size * 2 ** (self.num_scales - 1)) ** 2  # pixels under the sensor, all glimpses
        means = block_means(images, self.num_scales) if height * width <= read else None
        h, glimpses = images.new_zeros(len(images), self.hidden_size), []
        for t in range(steps):
            mean, location, log_prob = self.choose(h, sigma)
            if t < S:
                location, log_prob = given[:, t], torch.zeros_like(log_prob)
            if means is None:
                crops = crop_and_pool(images, location, self.num_scales, self.crop_size)
            else:
                crops = pick(means, location, (height, width), self.crop_size)
            h = self.step(crops, location, h)
            glimpses.append((location, mean, log_prob, self.classifier(h)))
        return Episode(*(torch.stack(part, dim=1) for part in zip(*glimpses, strict=True)))
