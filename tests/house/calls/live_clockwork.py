"""Valid calls of attend.live.clockwork."""

import torch

from attend.live.clockwork import Clockwork

WEIGHTS = {
    "W": torch.ones(4, 1),
    "U": torch.eye(4),
    "b": torch.zeros(4),
    "R": torch.ones(1, 4),
    "c": torch.zeros(1),
}

CALLS = {Clockwork: {"wave": torch.tensor([0.0, 1.0, 0.0]), "periods": (1, 2), "weights": WEIGHTS, "stops": {2: 1}}}
