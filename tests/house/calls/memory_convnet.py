"""Valid calls of attend.memory.convnet."""

import torch

from attend.memory.convnet import (
    ConvNet,
    Field,
    Layer,
    average_pool,
    convolve,
    corner_pool,
    exciting,
    max_pool,
    measured_field,
    output_size,
    receptive_field,
    spans,
    windows,
)

x = torch.linspace(-1, 1, 72).view(1, 2, 6, 6)
net = ConvNet((2, 3))


def doubled(images):
    return 2 * images


CALLS = {
    windows: {"x": x, "size": (2, 3), "stride": 2},
    convolve: {"x": x, "kernels": torch.ones(3, 2, 2, 2), "bias": torch.ones(3), "stride": 1, "padding": 1},
    max_pool: {"x": x, "size": 2, "stride": 1},
    average_pool: {"x": x, "size": 2, "stride": 1},
    corner_pool: {"x": x, "size": 2, "stride": 1},
    output_size: {"pixels": 9, "size": 3, "stride": 2, "padding": 1},
    receptive_field: {"layers": [Layer(3), Layer(2, 2)]},
    measured_field: {"maps": doubled, "images": x, "unit": (1, 2)},
    exciting: {"maps": torch.ones(2, 3, 2, 2), "images": torch.ones(2, 6, 6), "field": Field(4, 2), "count": 2},
    spans: {"strength": torch.eye(3)},
    Field(3, 2, 0).pixels: {"unit": 1},
    ConvNet: {"features": (2, 3), "size": 5, "pool": "max", "image": 28, "classes": 10},
    net.forward: {"images": torch.ones(1, 28, 28)},
}
GOOD = {
    convolve: {"padding": {"zero"}, "bias": {"none"}, "x": {"width"}},
    output_size: {"padding": {"zero"}},
    Field.pixels: {"unit": {"zero"}},
    net.forward: {"images": {"width"}},  # a larger image is read region by region
}
