"""Valid calls of attend.live.scores."""

import torch

from attend.live.scores import Scores

CALLS = {Scores: {"keys": torch.ones(5, 2), "query": [0.5, -0.5], "generator": torch.Generator()}}
