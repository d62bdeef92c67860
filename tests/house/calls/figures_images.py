"""Valid calls of attend.figures.images."""

import torch

from attend.figures import images

row = torch.linspace(0, 1, 18).view(2, 3, 3)

CALLS = {
    images.strips: {"rows": {"digits": row}, "kinds": {"digits": "summary"}},
    images.fields: {"strengths": {"conv1": row[0]}, "boxes": [(range(0, 2), range(1, 3))]},
    images.regions: {"canvases": torch.ones(2, 9, 9), "weights": torch.ones(2, 2, 2), "width": 5, "jump": 4},
}
