"""Valid calls of attend.tasks.canvas and .search."""

import torch

from attend.tasks import canvas, search

CORNERS = torch.tensor([[0, 2], [3, 1]])
SEEDED = torch.Generator().manual_seed(0)

GOOD = {search.canvases: {"pieces": {"zero"}}, search.batches: {"pieces": {"zero"}}}

CALLS = {
    canvas.lay: {"images": torch.ones(2, 3, 3), "corners": CORNERS, "width": 8},
    canvas.overlay: {"canvases": torch.zeros(2, 8, 9), "images": torch.ones(2, 3, 3), "corners": CORNERS},
    canvas.cut: {
        "pool": torch.ones(2, 4, 4),
        "count": 3,
        "size": 2,
        "ink": 0.25,
        "least": 1,
        "generator": SEEDED,
    },
    search.canvases: {"split": "validation", "count": 2, "generator": SEEDED, "pieces": 1, "width": 40},
    search.batches: {"size": 64, "generator": SEEDED, "pieces": 1, "width": 40},
    search.middles: {"corners": CORNERS, "width": 60},
    search.distance: {"places": torch.zeros(2, 4, 2), "corners": CORNERS, "width": 60},
}
