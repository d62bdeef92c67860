"""Valid calls of attend.live.sentiment and attend.figures.unrolled."""

import torch

from attend.figures.unrolled import unrolled
from attend.live.sentiment import Sentiment

CALLS = {
    Sentiment: {
        "E": torch.ones(3, 2),
        "W": torch.ones(4, 2),
        "U": torch.eye(4),
        "b": torch.zeros(4),
        "readout": torch.ones(4),
        "bias": torch.zeros(1),
        "words": ["…", "a", "film"],
        "examples": ["a film"],
    },
    unrolled: {"rows": [("a row", ["a"], ["b"])]},
}
