"""Valid calls of attend.hard.ram and attend.figures.looks."""

import torch

from attend.figures import looks as pictures
from attend.hard import ram

images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
model = ram.Ram(5, 4, 3, 4, 2, classes=3)
state, places = torch.ones(2, 5), torch.zeros(2, 2)
right = torch.tensor([[0.2, 0.5], [0.4, 0.1]])
labels = torch.tensor([0, 2])

CALLS = {
    ram.Ram: {"H": 5, "G": 4, "L": 3, "size": 4, "scales": 2, "classes": 3, "generator": torch.Generator()},
    model.start: {"batch": 2},
    model.plan: {"state": state},
    model.encoded: {"images": images, "places": places},
    model.step: {"images": images, "places": places, "state": state},
    model.forward: {
        "images": images,
        "T": 3,
        "given": places[:, None],
        "sigma": 0.1,
        "generator": torch.Generator(),
    },
    ram.chances: {"scores": torch.ones(2, 3, 4), "labels": labels},
    ram.rewards: {"right": right},
    ram.loss: {"looks": model(images, 3, sigma=0.1), "labels": labels, "weight": 0.1},
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
GOOD = {model.encoded: {"images": {"width"}}, model.step: {"images": {"width"}}, model.forward: {"images": {"width"}}}
