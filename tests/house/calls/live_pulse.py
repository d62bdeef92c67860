"""Valid calls of attend.live.pulse."""

from attend.live.pulse import Pulse

CALLS = {Pulse: {"inputs": [0.5] * 30, "at": 5}}
