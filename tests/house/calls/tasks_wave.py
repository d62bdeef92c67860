"""Valid calls of attend.tasks.wave."""

import torch

from attend.tasks import wave

CALLS = {
    wave.start_signal: {"steps": 5, "at": 2},
    wave.cost: {"made": torch.zeros(2, 4), "wanted": torch.tensor([0.0, 1.0, 0.0, 1.0])},
}
GOOD = {
    wave.start_signal: {"at": {"zero"}},
    # A training whose wave runs away stops at its cost; one wave or a batch of them may be asked about.
    wave.cost: {"made": {"nonfinite", "rank"}},
}
