"""Valid calls of attend.figures.series."""

import torch

from attend.figures import series

T = torch.arange(3.0)
X = torch.tensor([0.5, 2.0, 0.25])
COUNTS = torch.tensor([1, 1, 2])

CALLS = {
    series.entered: {"x": X, "counts": COUNTS, "band": (0.0, 1.0)},
    series.together: {"records": [(T, X, COUNTS, "day")], "band": (0.0, 1.0), "y_name": "°C"},
    series.collision: {"first": X, "second": X[:2], "coming": 0.5, "band": (0.0, 1.0)},
    series.steps: {"x": X, "step": X, "ramp": X, "band": (0.0, 1.0)},
}
GOOD = {series.together: {"y_name": {"word"}}}
