"""Valid calls of attend.tasks.digits."""

import torch

from attend.tasks.digits import Digits, accuracy, batches, cost, digits, place, shift, shifts

images = torch.linspace(0, 1, 72).view(2, 6, 6)
scores = {"scores": torch.eye(2, 3), "labels": torch.tensor([0, 2])}

CALLS = {
    digits: {"split": "test"},
    shift: {"images": images, "down": 2, "right": -1},
    shifts: {"images": images, "pixels": 2},
    place: lambda: {"images": images, "width": 9, "generator": torch.Generator().manual_seed(0)},
    batches: lambda: {"of": Digits(images, torch.tensor([3, 1])), "size": 1, "generator": torch.Generator()},
    cost: scores,
    accuracy: scores,
}
GOOD = {
    shift: {"down": {"zero", "negative"}, "right": {"zero", "negative"}},
    shifts: {"pixels": {"zero"}},
}
