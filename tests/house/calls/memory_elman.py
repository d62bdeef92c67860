"""Valid calls of attend.memory.elman."""

import torch

from attend.memory.elman import Elman

UNIT = Elman(3, 4)

CALLS = {
    Elman: {"D": 3, "H": 4, "radius": 0.9, "generator": torch.Generator()},
    UNIT.start: {"batch": 2},
    UNIT.forward: {"x": torch.ones(2, 3), "state": torch.zeros(2, 4)},
    UNIT.sequence: {
        "x": torch.ones(2, 5, 3),
        "state": torch.zeros(2, 4),
        "mask": torch.ones(2, 5, dtype=torch.bool),
    },
}
