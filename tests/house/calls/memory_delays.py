"""Valid calls of attend.memory.delays."""

import torch

from attend.memory.delays import Delayed

UNIT = Delayed(2, 4, 3, 0.9, torch.Generator().manual_seed(0))
X = torch.linspace(-1, 1, 20).view(2, 5, 2)

CALLS = {
    Delayed: {"D": 2, "H": 4, "delay": 3, "radius": 0.9},
    UNIT.start: {"batch": 2},
    UNIT.forward: {"x": X[:, 0], "state": UNIT.start(2)},
    UNIT.sequence: {"x": X, "state": UNIT.start(2)},
}
