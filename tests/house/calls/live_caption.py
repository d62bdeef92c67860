"""Valid calls of attend.live.captioner."""

import torch

from attend.hard.captioner import Captioner
from attend.live.captioner import Caption

WEIGHTS = Captioner(3, 2, 3, 4, features=(1, 2), generator=torch.Generator().manual_seed(0)).state_dict()
SCENE = [("things", 0, 1, 2), None, None, None, ("scraps", 0, 3, 4), None, None, None, None]

CALLS = {
    Caption: {
        "things": torch.ones(2, 14, 14),
        "names": [1, 2],
        "scraps": torch.ones(1, 6, 6),
        "words": [".", "coat", "bag"],
        "soft": WEIGHTS,
        "hard": WEIGHTS,
        "scene": SCENE,
        "steps": 4,
    }
}
