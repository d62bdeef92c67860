"""Valid calls of attend.figures.gates."""

import torch

from attend.figures import gates

CALLS = {
    gates.recalled: {
        "lags": torch.tensor([20.0, 100.0]),
        "shares": {"gated": (torch.full((3, 2), 0.5), "gate")},
        "chance": 0.25,
    },
    gates.learning: {
        "seconds": {"gated": (torch.ones(3, 4), "gate")},
        "errors": {"gated": (torch.ones(3, 4), "gate")},
        "landmarks": {"nothing": 0.2},
    },
    gates.opening: {"x": torch.ones(6, 2), "taken": torch.ones(6), "heard": torch.ones(6)},
}
