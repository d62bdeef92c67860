"""Valid calls of attend.tasks.adding."""

import torch

from attend.tasks import adding

CALLS = {
    adding.sample: {"batch": 3, "steps": 6, "generator": torch.Generator()},
    adding.cost: {"answers": torch.zeros(3), "sums": torch.ones(3)},
    adding.explained: {"answers": torch.zeros(3), "sums": torch.tensor([0.5, 1.0, 1.5])},
    adding.example: {"steps": 6, "seed": 0},
}
GOOD = {adding.example: {"seed": {"zero"}}}
