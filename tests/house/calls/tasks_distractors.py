"""Valid calls of attend.tasks.distractors."""

import torch

from attend.tasks import distractors

CALLS = {
    distractors.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
    distractors.example: {"lag": 5, "seed": 0},
}
GOOD = {distractors.example: {"seed": {"zero"}}}
