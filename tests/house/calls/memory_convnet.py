"""Valid calls of attend.memory.convnet."""

import torch

from attend.memory import convnet
from attend.memory.convnet import ConvNet, Field, Layer

x = torch.linspace(-1, 1, 72).view(1, 2, 6, 6)
net = ConvNet((2, 3))


def doubled(images):
    return 2 * images


CALLS = {
    convnet.windows: {"x": x, "size": (2, 3), "stride": 2},
    convnet.convolve: {"x": x, "kernels": torch.ones(3, 2, 2, 2), "bias": torch.ones(3), "stride": 1, "padding": 1},
    convnet.max_pool: {"x": x, "size": 2, "stride": 1},
    convnet.average_pool: {"x": x, "size": 2, "stride": 1},
    convnet.subsample: {"x": x, "size": 2, "stride": 1},
    convnet.output_size: {"pixels": 9, "size": 3, "stride": 2, "padding": 1},
    convnet.receptive_field: {"layers": [Layer(3), Layer(2, 2)]},
    convnet.measured_field: {"maps": doubled, "images": x, "unit": (1, 2)},
    convnet.exciting: {"maps": torch.ones(2, 3, 2, 2), "images": torch.ones(2, 6, 6), "field": Field(4, 2), "count": 2},
    convnet.spans: {"strength": torch.eye(3)},
    Field(3, 2, 0).pixels: {"unit": 1},
    ConvNet: {"features": (2, 3), "kernel_size": 5, "pool": "max", "image_size": 28, "num_classes": 10},
    net.forward: {"images": torch.ones(1, 28, 28)},
}
GOOD = {
    convnet.convolve: {"padding": {"zero"}, "bias": {"none"}, "x": {"width"}},
    convnet.output_size: {"padding": {"zero"}},
    Field.pixels: {"unit": {"zero"}},
    net.forward: {"images": {"width"}},  # a larger image is read region by region
}
