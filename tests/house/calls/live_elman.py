"""Valid calls of attend.live.elman and attend.live.gradients."""

import torch

from attend.live.elman import ElmanPlane
from attend.live.gradients import VanishingGradients

CALLS = {
    ElmanPlane: {
        "summaries": torch.full((3, 2), 0.5),
        "W": torch.zeros(2, 2),
        "U": torch.eye(2),
        "b": torch.zeros(2),
        "x": [1.0, 0.5],
    },
    VanishingGradients: {"inputs": [0.5, -0.5], "before": 0.1, "radius": 0.8},
}
