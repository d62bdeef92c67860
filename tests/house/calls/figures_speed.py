"""Valid calls of attend.figures.speed."""

from attend.figures import speed

ROW = {"unit": "GRU", "does": "forward", "B": 2, "T": 5, "H": 3, "threads": 1, "fused": True}
RATIO = {"ratio": 1.0, "ratio_low": 0.9, "ratio_high": 1.1}

CALLS = {
    speed.speed: {"rows": [ROW | RATIO, ROW | RATIO | {"T": 10}], "units": ["GRU"], "base": {"B": 2, "T": 5, "H": 3}}
}
