"""Valid calls of attend.memory.gradients."""

import torch

from attend.memory import gradients

U, W = torch.tensor([[0.9, 0.4], [-0.3, 0.6]]), torch.ones(2, 3)
SUMMARIES = torch.full((2, 5, 2), 0.5)
MODEL = gradients.RecallRNN(1, 4)

CALLS = {
    gradients.spectral_radius: {"U": U},
    gradients.with_radius: {"U": U, "radius": 1.3},
    gradients.jacobians: {"U": U, "hidden": SUMMARIES},
    gradients.carried: {"steps": torch.ones(2, 5, 2, 2)},
    gradients.influence: {"U": U, "W": W, "hidden": SUMMARIES},
    gradients.strength: {"matrices": torch.ones(2, 5, 2, 3)},
    gradients.clip: {"gradients": [torch.ones(2, 2), torch.ones(3)], "threshold": 0.5},
    gradients.RecallRNN: {"input_size": 1, "hidden_size": 4, "radius": 1.05, "generator": torch.Generator()},
    MODEL.forward: {"x": torch.ones(2, 5, 1)},
}
GOOD = {gradients.strength: {"matrices": {"rank"}}}
