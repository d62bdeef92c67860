"""Valid calls of attend.live.gates and attend.live.shut."""

import torch

from attend.live.gates import GatePlane
from attend.live.shut import ShutGate

CALLS = {
    GatePlane: {"U": torch.eye(2), "old": [0.5, -0.5], "alone": [0.1, 0.2], "keep": 0.5, "reset": 0.5},
    ShutGate: {"inputs": [0.5] * 30, "level": 20.0, "opened": 5},
}
GOOD = {GatePlane: {"keep": {"zero"}, "reset": {"zero"}}}
