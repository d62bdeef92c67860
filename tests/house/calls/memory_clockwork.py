"""Valid calls of attend.memory.clockwork."""

import torch

from attend.memory.clockwork import Clockwork

NETWORK = Clockwork(2, 6, (1, 2, 4), torch.Generator().manual_seed(0))
X = torch.linspace(-1, 1, 20).view(2, 5, 2)

CALLS = {
    Clockwork: {"input_size": 2, "hidden_size": 6, "periods": (1, 2, 4)},
    NETWORK.ticks: {"t": 3},
    NETWORK.forward: {"x": X, "state": (torch.zeros(2, 6), 3)},
}
GOOD = {NETWORK.ticks: {"t": {"zero"}}}
