"""Valid calls of attend.tasks.latch."""

import torch

from attend.tasks import latch

SYMBOLS = torch.tensor([0, 3, 1])

CALLS = {
    latch.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
    latch.cost: {"scores": torch.zeros(3, 4), "symbols": SYMBOLS},
    latch.right: {"scores": torch.zeros(3, 4), "symbols": SYMBOLS},
    latch.example: {"lag": 5, "seed": 0},
}
GOOD = {latch.example: {"seed": {"zero"}}}
