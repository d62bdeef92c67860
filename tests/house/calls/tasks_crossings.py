"""Valid calls of attend.tasks.crossings."""

import torch

from attend.tasks import crossings

X = torch.tensor([[0.5, 2.0, 0.25], [0.5, 0.6, -1.0]])
BAND = {"x": X, "low": 0.0, "high": 1.0}
SIZES = {"batch": 2, "steps": 3, "length_scale": 4.0, "generator": torch.Generator()}
COUNTS = torch.tensor([[1, 1, 2], [1, 1, 1]])

CALLS = {
    crossings.paths: SIZES,
    crossings.inside: BAND,
    crossings.entrances: BAND,
    crossings.crossings: BAND,
    crossings.sample: SIZES,
    crossings.cost: {"logits": torch.zeros(2, 3, 4), "counts": COUNTS},
    crossings.exact: {"guesses": COUNTS, "counts": COUNTS},
    crossings.example: {"seed": 0},
}
GOOD = {crossings.example: {"seed": {"zero"}}}
