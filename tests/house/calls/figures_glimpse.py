"""Valid calls of attend.figures.glimpse."""

import torch

from attend.figures import glimpse

CALLS = {
    glimpse.retina: {
        "image": torch.rand(9, 9),
        "corner": (1, -2),
        "crops": torch.rand(2, 4, 4),
        "picture": torch.rand(8, 8),
    },
    glimpse.growth: {"widths": [60, 120], "lines": {"dense": ([1.0, 4.0], "rival")}, "y_name": "numbers"},
    glimpse.by_distance: {
        "edges": [0, 4, 8],
        "lines": {"sharp": ([[0.5, 0.2]], "summary")},
        "y_name": "share",
        "y_range": (0.0, 1.0),
        "even": True,
    },
    glimpse.stairs: {"places": torch.linspace(-1, 1, 4), "f": torch.rand(4), "middle": 0.25, "y_name": "chance"},
}
GOOD = {
    glimpse.growth: {"y_name": {"word"}},
    glimpse.by_distance: {"y_name": {"word"}},
    glimpse.stairs: {"y_name": {"word"}},
}
