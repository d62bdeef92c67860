"""Valid calls of attend.gating.gru."""

import torch

from attend.gating.gru import GRU, time_scales

UNIT = GRU(3, 4)

CALLS = {
    GRU: {"D": 3, "H": 4, "longest": 50.0, "generator": torch.Generator()},
    time_scales: {"H": 4, "longest": 50.0},
    UNIT.start: {"batch": 2},
    UNIT.gates: {"x": torch.ones(2, 3), "state": torch.zeros(2, 4)},
    UNIT.forward: {"x": torch.ones(2, 3), "state": torch.zeros(2, 4)},
    UNIT.sequence: {
        "x": torch.ones(2, 5, 3),
        "state": torch.zeros(2, 4),
        "mask": torch.ones(2, 5, dtype=torch.bool),
    },
}
