"""Valid calls of attend.live.supervision, attend.figures.unrolled and attend.figures.seeds."""

import torch

from attend.figures.seeds import dots, traces
from attend.figures.unrolled import unrolled
from attend.live.supervision import Sentiment

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
    dots: {"rows": {"a row": ([1.0, 2.0], "summary")}, "x_name": "pull (log-odds)"},
    traces: {
        "lines": {"a line": ([[1.0, None, 0.5]], "summary")},
        "x_name": "place",
        "y_name": "share",
        "y_range": (0.0, 1.0),
    },
}
GOOD = {dots: {"x_name": {"word"}}, traces: {"x_name": {"word"}, "y_name": {"word"}}}
