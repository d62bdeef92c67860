"""A valid call of attend.soft.blocks."""

import torch

from attend.soft.blocks import read_by_blocks

CALLS = {
    read_by_blocks: {
        "queries": torch.ones(2, 4, 3),
        "keys": torch.ones(2, 5, 3),
        "values": torch.ones(2, 5, 6),
        "mask": torch.ones(2, 5, dtype=torch.bool),
        "block": 10,
    },
}
