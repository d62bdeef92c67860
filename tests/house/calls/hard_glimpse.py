"""Valid calls of attend.hard.glimpse."""

import torch

from attend.hard import glimpse

IMAGES, LOCATIONS = torch.ones(2, 8, 8), torch.tensor([[0.0, 0.5], [-1.0, 0.2]])

CALLS = {
    glimpse.corners: {"locations": LOCATIONS, "height": 8, "width": 8, "size": 4},
    glimpse.crop: {"images": IMAGES, "at": torch.tensor([[0, 1], [-2, 3]]), "size": 4},
    glimpse.glimpse: {"images": IMAGES, "locations": LOCATIONS, "size": 4, "scales": 2},
    glimpse.mosaic: {"crops": torch.ones(2, 2, 4, 4)},
    glimpse.glimpse_size: {"size": 4, "scales": 2},
}
