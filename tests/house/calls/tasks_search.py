"""Valid calls of attend.tasks.search."""

import torch

from attend.tasks import search

CORNERS = torch.tensor([[0, 2], [3, 1]])
SEEDED = torch.Generator().manual_seed(0)

GOOD = {search.canvases: {"pieces": {"zero"}}, search.batches: {"pieces": {"zero"}}}

CALLS = {
    search.canvases: {"split": "validation", "count": 2, "generator": SEEDED, "pieces": 1, "width": 40},
    search.batches: {"size": 64, "generator": SEEDED, "pieces": 1, "width": 40},
    search.middles: {"corners": CORNERS, "width": 60},
    search.distance: {"places": torch.zeros(2, 4, 2), "corners": CORNERS, "width": 60},
}
