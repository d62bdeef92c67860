"""Valid calls of attend.memory.delays."""

import torch

from attend.memory.delays import Delayed

UNIT = Delayed(2, 4, 3, 0.9, torch.Generator().manual_seed(0))
X = torch.linspace(-1, 1, 20).view(2, 5, 2)

CALLS = {
    Delayed: {"input_size": 2, "hidden_size": 4, "delay": 3, "radius": 0.9},
    UNIT.forward: {"x": X, "state": torch.zeros(2, 3, 4)},
}
