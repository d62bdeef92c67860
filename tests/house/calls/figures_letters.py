"""Valid calls of attend.figures.letters."""

from attend.figures.letters import letters

CALLS = {letters: {"text": "ab\nc", "values": [0.0, 1.0, 2.0, 0.5], "kind": "summary"}}
