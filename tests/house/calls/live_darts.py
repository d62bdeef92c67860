"""A valid call of attend.live.reinforce."""

import torch

from attend.live.reinforce import Reinforce

CALLS = {Reinforce: {"mean": 0.5, "sigma": 0.5, "rate": 0.1, "generator": torch.Generator()}}
