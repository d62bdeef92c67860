"""Valid calls of attend.hard.ram and attend.figures.looks."""

import torch

from attend.figures import looks as pictures
from attend.hard import ram

images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
model = ram.RAM(5, 4, 3, 4, 2, num_classes=3)
locations = torch.zeros(2, 2)
labels = torch.tensor([0, 2])

CALLS = {
    ram.RAM: {
        "hidden_size": 5,
        "glimpse_size": 4,
        "location_size": 3,
        "crop_size": 4,
        "num_scales": 2,
        "num_classes": 3,
        "generator": torch.Generator(),
    },
    model.forward: {
        "images": images,
        "steps": 3,
        "given": locations[:, None],
        "sigma": 0.1,
        "generator": torch.Generator(),
    },
    ram.correct_probs: {"logits": torch.ones(2, 3, 4), "labels": labels},
    ram.rewards: {"correct": torch.tensor([[0.2, 0.5], [0.4, 0.1]])},
    ram.loss: {"episode": model(images, 3, sigma=0.1), "labels": labels, "policy_weight": 0.1},
    pictures.looks: {
        "images": images,
        "places": torch.zeros(2, 3, 2),
        "corners": torch.zeros(2, 2, dtype=torch.long),
        "side": 8,
        "said": [["1", "2", "3"]] * 2,
        "columns": 2,
    },
}

# An image may be of any size, and need not be square.
GOOD = {model.forward: {"images": {"width"}}}
