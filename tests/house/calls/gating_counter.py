"""Valid calls of attend.gating.counter."""

import torch

from attend.gating.counter import LearnedCounter, auc
from attend.gating.gru import GRU

COUNTER = LearnedCounter(GRU(1, 3), 4)
X = torch.tensor([[[0.5], [2.0]], [[-1.0], [0.25]]])

CALLS = {
    LearnedCounter: {"rnn": GRU(1, 3), "V": 4, "generator": torch.Generator()},
    COUNTER.forward: {"x": X},
    COUNTER.count: {"x": X},
    auc: {"feature": torch.tensor([[1.0, 0.0], [0.5, 2.0]]), "label": torch.tensor([True, False])},
}
