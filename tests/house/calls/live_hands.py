"""Valid calls of attend.live.heads, attend.tasks.neighbours and attend.recipes.heads."""

import torch

from attend.live.heads import Sinusoids
from attend.recipes.heads import Reporter
from attend.tasks import neighbours

LETTERS = torch.arange(24).view(2, 12) % 10
MODEL = Reporter(generator=torch.Generator().manual_seed(0))

CALLS = {
    Sinusoids: {"places": 64, "first": 12, "second": 20, "D": 32},
    neighbours.sample: {"batch": 3, "T": 5, "generator": torch.Generator()},
    neighbours.inner: {"T": 8, "offsets": [-1, 1]},
    neighbours.answers: {"letters": LETTERS, "offsets": [-1, 1]},
    neighbours.example: {"T": 6, "offsets": [-1, 1], "seed": 0},
    Reporter: {
        "num_heads": 2,
        "d_model": 8,
        "T": 12,
        "offsets": (-1, 1),
        "positions": "sinusoids",
        "feed_forward": False,
        "generator": torch.Generator(),
    },
    MODEL.embed: {"letters": LETTERS},
    MODEL.forward: {"letters": LETTERS},
    MODEL.weights: {"letters": LETTERS},
}
GOOD = {
    Sinusoids: {"first": {"zero"}, "second": {"zero"}},
    neighbours.example: {"seed": {"zero"}},
}
