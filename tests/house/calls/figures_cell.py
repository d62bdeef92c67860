"""Valid calls of attend.figures.cell."""

import torch

from attend.figures.cell import cells

CALLS = {cells: {"panels": {"kept": (torch.ones(4), torch.zeros(4)), "lost": (torch.zeros(4), torch.ones(4))}}}
