"""Valid calls of attend.live.glimpse."""

import torch

from attend.live.glimpse import Glimpse

CALLS = {Glimpse: {"canvases": torch.ones(2, 60, 60), "place": (0.1, 0.2), "size": 8, "scales": 2}}
