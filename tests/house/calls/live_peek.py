"""Valid calls of attend.live.peek."""

import torch

from attend.live.peek import Peek

CALLS = {Peek: {"canvases": torch.ones(2, 60, 60), "place": (0.1, 0.2), "size": 8, "scales": 2}}
