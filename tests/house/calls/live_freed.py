"""Valid calls of attend.live.freed."""

from attend.live.freed import Freed

CALLS = {Freed: {"keep": [0.0, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5], "wishes": [[5, 1], [6, 4]]}}
