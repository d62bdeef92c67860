"""Valid calls of attend.tasks.banks."""

import torch

from attend.tasks import banks
from attend.tasks.clothes import clothes

CALLS = {
    banks.in_batches: {"draw": clothes, "size": 4},
    banks.shuffled: {"of": clothes("test"), "size": 4, "generator": torch.Generator()},
}
