"""Valid calls of attend.figures.style, curves, code and coin."""

import torch
from matplotlib.figure import Figure

from attend.figures import code, coin, curves, style

CALLS = {
    style.canvas: {"rows": 1, "columns": 2, "height": 2.0},
    style.name_line: lambda: {"axes": Figure().subplots(), "x": 1.0, "y": 2.0, "text": "a line", "kind": "summary"},
    style.name_ends: lambda: {"axes": Figure().subplots(), "ends": {"ours": (1.0, 2.0, "summary")}},
    style.apart: {"ends": {"ours": 0.5, "theirs": 0.5}, "gap": 0.1},
    curves.curves: {
        "lines": {"loss": ([1.0, 2.0], "summary")},
        "x": [1.0, 2.0],
        "x_name": "step",
        "y_name": "loss (nat)",
        "log": "y",
        "height": 2.0,
    },
    coin.beliefs: {"summaries": [(3, 5), (30, 50)]},
    coin.predictions: {
        "heads": torch.tensor([1.0, 2.0]),
        "exact": torch.tensor([0.2, 0.3]),
        "learned": torch.tensor([0.2, 0.4]),
    },
    code.show_source: {"docstring": True},
}
GOOD = {
    style.name_line: {"text": {"word"}},
    curves.curves: {"x_name": {"word"}, "y_name": {"word"}, "log": {"word"}},
}
