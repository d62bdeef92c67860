"""Valid calls of attend.tasks.days."""

import torch

from attend.tasks import days

CALLS = {
    days.sample: {"batch": 2, "steps": 4, "generator": torch.Generator()},
    days.held_out: {"steps": 4, "low": 10.0},
}
