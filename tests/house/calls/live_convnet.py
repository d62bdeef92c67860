"""Valid calls of attend.live.convnet."""

import torch

from attend.live.convnet import ConvNet

weights = {f"conv{n}.{part}": torch.ones(2) for n in (1, 2, 3) for part in ("weight", "bias")}
fields = {"conv1": (5, 1), "pool1": (6, 2), "conv2": (14, 2), "pool2": (16, 4)}

CALLS = {ConvNet: {"images": torch.ones(2, 28, 28), "weights": weights, "fields": fields, "start": 1}}
GOOD = {ConvNet: {"start": {"zero"}}}
