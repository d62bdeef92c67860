"""Valid calls of attend.tasks.recall."""

import torch

from attend.tasks import recall

CALLS = {
    recall.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
    recall.cost: {"answers": torch.zeros(3), "numbers": torch.ones(3)},
    recall.example: {"lag": 5, "seed": 0},
}
GOOD = {recall.example: {"seed": {"zero"}}}
