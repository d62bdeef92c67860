"""Valid calls of attend.live."""

import torch

from attend.live import figure, linker
from attend.live.coin import Coin

WEIGHTS = {
    "W": torch.ones(4, 1),
    "U": torch.eye(4),
    "b": torch.zeros(4),
    "readout": torch.ones(4),
    "bias": torch.zeros(1),
}

CALLS = {
    figure.pack: {"tensors": {"W": torch.eye(2)}, "precision": "int8"},
    figure.unpack: dict(zip(("layout", "buffer"), figure.pack({"W": torch.eye(2)}), strict=True)),
    linker.link: {"name": "coin"},
    linker.bundle: {"name": "coin"},
    linker.own_style: {"name": "coin"},
    Coin: {"flips": [1, 0, 1], "weights": WEIGHTS},
}
