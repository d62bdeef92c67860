"""Valid calls of attend.memory.clockwork."""

import torch

from attend.memory.clockwork import Clockwork

NETWORK = Clockwork(2, 6, (1, 2, 4), torch.Generator().manual_seed(0))
X = torch.linspace(-1, 1, 20).view(2, 5, 2)

CALLS = {
    Clockwork: {"D": 2, "H": 6, "periods": (1, 2, 4)},
    NETWORK.start: {"batch": 2},
    NETWORK.ticks: {"step": 3},
    NETWORK.forward: {"x": X[:, 0], "state": NETWORK.start(2)},
    NETWORK.sequence: {"x": X, "state": NETWORK.start(2)},
}
GOOD = {NETWORK.ticks: {"step": {"zero"}}}
