"""Valid calls of attend.figures.ablation."""

from attend.figures import ablation

CALLS = {
    ablation.changes: {
        "rows": {"1 head": ([2.0, 3.0], "worse")},
        "base": [1.0, 1.5],
        "x_name": "mistakes (%)",
        "ticks": [1.0, 10.0],
    }
}
GOOD = {ablation.changes: {"x_name": {"word"}}}
