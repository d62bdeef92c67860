"""Valid calls of attend.figures.counts."""

import torch

from attend.figures import counts

X, INSIDE = torch.tensor([0.5, 2.0, 0.25]), torch.tensor([True, False, True])

CALLS = {
    counts.progress: {"lines": {"ours": ([[0.1, 0.9]], [0, 60], "summary")}, "x_name": "s", "y_name": "exact"},
    counts.features: {"x": X, "inside": INSIDE, "blocks": {"h": (torch.zeros(4, 3), "summary")}},
    counts.turns: {"means": torch.tensor([[-1.0, 1.0, 1.0], [-1.0, -0.5, 0.5]])},
    counts.shares: {"rows": {"made": {"GRU": ([0.5], "summary")}}, "x_name": "share"},
}
GOOD = {
    counts.progress: {"x_name": {"word"}, "y_name": {"word"}},
    counts.shares: {"x_name": {"word"}},
}
