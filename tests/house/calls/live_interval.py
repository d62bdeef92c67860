"""Valid calls of attend.live.interval."""

from attend.live.interval import Interval

CALLS = {Interval: {"series": [0.5, 2.0, 0.25, -1.0], "step": 2, "kept": -1.0}}
GOOD = {Interval: {"step": {"zero"}}}
