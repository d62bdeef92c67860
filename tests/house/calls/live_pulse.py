"""Valid calls of attend.live.lstm."""

from attend.live.lstm import LSTMGates

CALLS = {LSTMGates: {"inputs": [0.5] * 30, "at": 5}}
