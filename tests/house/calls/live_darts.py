"""A valid call of attend.live.darts."""

import torch

from attend.live.darts import Darts

CALLS = {Darts: {"mean": 0.5, "sigma": 0.5, "rate": 0.1, "generator": torch.Generator()}}
