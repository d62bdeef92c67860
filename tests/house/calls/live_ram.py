"""Valid calls of attend.live.ram."""

import torch

from attend.hard.ram import RAM
from attend.live.ram import Glimpses

MODEL = RAM(3, 4, 2, crop_size=4, num_scales=2, generator=torch.Generator().manual_seed(0))

CALLS = {
    Glimpses: {
        "canvases": torch.ones(2, 20, 20),
        "labels": [3, 4],
        "middles": torch.zeros(2, 2),
        "weights": MODEL.state_dict(),
        "glimpses": 3,
        "start": 1,
        "first": (0.1, 0.2),
        "sigma": 0.2,
        "size": 4,
        "scales": 2,
    },
}
GOOD = {Glimpses: {"start": {"zero"}}}
