"""Valid calls of attend.tasks.coin."""

import torch

from attend.tasks import coin

FLIPS = torch.tensor([[1.0, 0.0, 1.0]])

CALLS = {
    coin.sample: {"batch": 2, "T": 3, "generator": torch.Generator()},
    coin.sample_sticky: {"batch": 2, "T": 3, "generator": torch.Generator()},
    coin.cost: {"logits": torch.zeros(1, 3), "flips": FLIPS},
    coin.spell: {"flips": FLIPS[0]},
}
