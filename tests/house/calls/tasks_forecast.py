"""Valid calls of attend.tasks.forecast."""

import torch

from attend.tasks import forecast

X = torch.linspace(-1, 1, 60).view(2, 30, 1)

CALLS = {
    forecast.sample: {"batch": 2, "generator": torch.Generator()},
    forecast.cost: {"said": X[..., 0], "wanted": X[..., 0] ** 2},
    forecast.yesterday: {"x": X},
}
# A training whose forecast runs away stops at its cost.
GOOD = {forecast.cost: {"said": {"nonfinite"}}}
