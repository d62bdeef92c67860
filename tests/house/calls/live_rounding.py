"""Valid calls of attend.live.rounding."""

import torch

from attend.live import rounding

CALLS = {rounding.rounded: {"weights": torch.linspace(-1, 1, 6).view(2, 3), "levels": 7}}

# A row may be of any shape.
GOOD = {rounding.rounded: {"weights": {"rank"}}}
