"""Valid calls of attend.figures.ink."""

import numpy as np
import torch
from matplotlib.figure import Figure

from attend.figures import ink

CALLS = {
    ink.ink: {"image": torch.tensor([[0.5, -1.0, 0.0]]), "kind": "summary"},
    ink.lay: lambda: {"axes": Figure().subplots(), "pixels": np.ones((2, 3, 4)), "extent": (0.0, 3.0, 2.0, 0.0)},
}
