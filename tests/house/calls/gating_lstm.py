"""Valid calls of attend.gating.lstm."""

import torch

from attend.gating.lstm import LSTM, LanguageModel, chrono_

LAYER = LSTM(3, 4)
MODEL = LanguageModel(LSTM(5, 4))
TOKENS = torch.ones(2, 3, dtype=torch.long)

CALLS = {
    LSTM: {"input_size": 3, "hidden_size": 4, "forget_bias": 1.0, "generator": torch.Generator()},
    chrono_: {"lstm": LSTM(3, 4), "longest": 50.0},
    LAYER.forward: {
        "x": torch.ones(2, 5, 3),
        "state": (torch.zeros(2, 4), torch.zeros(2, 4)),
        "mask": torch.ones(2, 5, dtype=torch.bool),
    },
    LanguageModel: {"layer": LSTM(5, 4)},
    MODEL.forward: {"tokens": TOKENS},
    MODEL.generate: {"tokens": TOKENS, "steps": 2, "temperature": 1.0, "generator": torch.Generator()},
}
