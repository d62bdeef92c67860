"""Valid calls of attend.live.gates."""

from attend.live.gates import GatesOrScores

CALLS = {GatesOrScores: {"keep": [0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], "wishes": [[5, 1], [6, 4]]}}
