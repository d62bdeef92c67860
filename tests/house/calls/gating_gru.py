"""Valid calls of attend.gating.gru."""

import torch

from attend.gating.gru import GRU, chrono_, time_scales

LAYER = GRU(3, 4)

CALLS = {
    GRU: {"input_size": 3, "hidden_size": 4, "generator": torch.Generator()},
    time_scales: {"count": 4, "longest": 50.0},
    chrono_: {"gru": GRU(3, 4), "longest": 50.0},
    LAYER.forward: {
        "x": torch.ones(2, 5, 3),
        "state": torch.zeros(2, 4),
        "mask": torch.ones(2, 5, dtype=torch.bool),
    },
}
