"""Valid calls of attend.live.counter."""

import torch

from attend.live.counter import Counter

E, H, V = 2, 3, 4
CALLS = {
    Counter: {
        "W": torch.zeros(E, 3 * H, 1),
        "U": torch.zeros(E, 3 * H, H),
        "b": torch.zeros(E, 3 * H),
        "readout": torch.zeros(E, V, H),
        "bias": torch.zeros(E, V),
        "seen": [0, 64],
        "series": {"made": [0.5] * 8},
        "order": [2, 0, 1],
    }
}
