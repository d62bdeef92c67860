"""Valid calls of attend.memory.interval."""

import torch

from attend.memory.interval import Counter, Network, OneBit

X = torch.tensor([[0.5], [2.0]])
SERIES = torch.tensor([[[0.5], [2.0], [0.25]]])

CALLS = {
    Counter: {"low": 0.0, "high": 1.0},
    OneBit: {"low": 0.0, "high": 1.0},
    Counter().forward: {"x": SERIES, "state": torch.tensor([[-1.0, 0.0]])},
    Network: {"low": 0.0, "high": 1.0, "ramp": 0.25},
    Network().forward: {"x": SERIES, "state": torch.zeros(1, 3, dtype=torch.float64)},
    Network().ends: {"x": X},
}
GOOD = {Network.ends: {"x": {"rank"}}}
