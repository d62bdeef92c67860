"""Valid calls of attend.live.what_matters."""

from attend.live.what_matters import Ablation

SEEDS = {"exact": [[0.1, 0.9], [0.2, 0.8]], "perplexity": [[3.0, 1.1], [4.0, 1.2]]}

CALLS = {
    Ablation: {
        "rows": {"base": SEEDS, "1 head": SEEDS},
        "steps": [50, 100],
        "beside": {"1 head": "The paper: 5.29."},
        "picked": "1 head",
        "at": 1,
        "base": "base",
    }
}
GOOD = {Ablation: {"at": {"zero"}}}
