"""Valid calls of attend.tasks.canvas."""

import torch

from attend.tasks import canvas

CORNERS = torch.tensor([[0, 2], [3, 1]])
SEEDED = torch.Generator().manual_seed(0)

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
}
