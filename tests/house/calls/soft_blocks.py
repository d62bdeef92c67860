"""A valid call of attend.soft.blocks."""

import torch

from attend.soft.blocks import attention_in_blocks

CALLS = {
    attention_in_blocks: {
        "query": torch.ones(2, 4, 3),
        "key": torch.ones(2, 5, 3),
        "value": torch.ones(2, 5, 6),
        "mask": torch.ones(2, 1, 5, dtype=torch.bool),
        "block": 10,
    },
}
