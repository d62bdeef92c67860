"""Valid calls of attend.tasks.temperature."""

import torch

from attend.tasks import temperature

CALLS = {
    temperature.daily: {"which": "high"},
    temperature.to_unit: {"celsius": torch.tensor([9.0, 12.5]), "low": 10.0, "high": 15.0},
}
