"""Valid calls of attend.memory.elman."""

import torch

from attend.memory.elman import RNN

LAYER = RNN(3, 4)

CALLS = {
    RNN: {"input_size": 3, "hidden_size": 4, "radius": 0.9, "generator": torch.Generator()},
    LAYER.forward: {
        "x": torch.ones(2, 5, 3),
        "state": torch.zeros(2, 4),
        "mask": torch.ones(2, 5, dtype=torch.bool),
    },
}
GOOD = {RNN: {"radius": {"zero"}}}
