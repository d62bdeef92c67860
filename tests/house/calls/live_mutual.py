"""Valid calls of attend.live.mutual."""

import torch

from attend.live.mutual import Mutual

MAPS = {name: torch.eye(2) for name in ("query", "key", "value")}
CALLS = {Mutual: {"words": ["so", "it", "is"], "x": torch.ones(3, 2), "asks": 2, **MAPS}}
GOOD = {Mutual: {"asks": {"zero"}}}
