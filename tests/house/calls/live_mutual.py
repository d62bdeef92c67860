"""Valid calls of attend.live.self_attention."""

import torch

from attend.live.self_attention import SelfAttentionByHand

MAPS = {name: torch.eye(2) for name in ("query", "key", "value")}
CALLS = {SelfAttentionByHand: {"words": ["so", "it", "is"], "x": torch.ones(3, 2), "asks": 2, **MAPS}}
GOOD = {SelfAttentionByHand: {"asks": {"zero"}}}
