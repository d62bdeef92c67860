"""Valid calls of attend.core.init."""

import torch
from torch import nn

from attend.core.init import embedding_, linear_

CALLS = {
    linear_: {"layer": nn.Linear(3, 2), "generator": torch.Generator()},
    embedding_: {"layer": nn.Embedding(5, 2), "std": 0.5, "generator": torch.Generator()},
}
