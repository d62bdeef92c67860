"""Valid calls of attend.gating.lstm."""

import torch

from attend.gating.lstm import LSTM, LSTMState

UNIT = LSTM(3, 4)

STATE = LSTMState(torch.zeros(2, 4), torch.zeros(2, 4))

CALLS = {
    LSTM: {"D": 3, "H": 4, "forget_bias": 1.0, "longest": 50.0, "generator": torch.Generator()},
    UNIT.start: {"batch": 2},
    UNIT.gates: {"x": torch.ones(2, 3), "h": torch.zeros(2, 4)},
    UNIT.forward: {"x": torch.ones(2, 3), "state": STATE},
    UNIT.sequence: {"x": torch.ones(2, 5, 3), "state": STATE, "mask": torch.ones(2, 5, dtype=torch.bool)},
}
