"""Valid calls of attend.figures.captions."""

import torch

from attend.figures import captions

RIGHT = [["a", "coat"], ["a", "bag"]]

CALLS = {
    captions.looks: {
        "images": torch.full((2, 4, 4), 0.5),
        "rows": {"soft": (RIGHT, torch.full((2, 2, 4), 0.25))},
        "right": RIGHT,
    },
    captions.averages: {
        "counts": [1, 2],
        "drawn": {"drawn": ([0.2, 0.1], "attention")},
        "still": {"mean": (0.01, "summary")},
    },
}
