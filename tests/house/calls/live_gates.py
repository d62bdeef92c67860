"""Valid calls of attend.live.gru_plane and attend.live.gru_shut."""

import torch

from attend.live.gru_plane import GatePlane
from attend.live.gru_shut import ShutGate

CALLS = {
    GatePlane: {"U": torch.eye(2), "old": [0.5, -0.5], "alone": [0.1, 0.2], "keep": 0.5, "reset": 0.5},
    ShutGate: {"inputs": [0.5] * 30, "level": 20.0, "opened": 5},
}
GOOD = {GatePlane: {"keep": {"zero"}, "reset": {"zero"}}}
