"""Which parts of a Transformer matter: one translator changed in one thing at a time, three seeds of each change.

The task is that of attend.recipes.translator with far fewer pairs and steps, so that there is something to lose.
"""

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch.nn.functional import cross_entropy

from attend.core.expect import expect
from attend.recipes import WEIGHTS, read_record, write_record
from attend.recipes.translation import encoded
from attend.recipes.translator import TransformerRecipe
from attend.tasks.pairs import Pairs
from attend.train.fit import TrainStep
from attend.transformers.translator import Transformer

DATA = ("recipes/weights/what_matters.json",)
SEEDS = {"base": (0, 1, 2, 3, 4)}
"""The seeds of the base, whose spread says what a difference is worth; every other row has the first three."""
EVERY = 50
"""After so many steps each model is asked for the validation part, again and again."""
MOST = {"validation": 500, "test": 1_500}
"""How many numbers are drawn of each length above three digits, before they are shared out among the parts."""
BASE = {
    "steps": 600,
    "d_model": 64,
    "num_heads": 4,
    "d_ff": 256,
    "num_layers": 2,
    "dropout": 0.1,
    "norm": "pre",
    "positions": "sinusoids",
    "smoothing": 0.1,
    "d_key": None,
    "residual": True,
    "rate": 4e-3,
    "warm": 60,
    "fall": "zero",
    "digits": 9,
    "most": 175,
    "batch": 64,
}
"""Some 1,500 pairs to learn from: with ten times as many, hardly anything would matter."""


class Row(NamedTuple):
    """One change: its `letter` in the paper's table (or "–"), what is `changed` in BASE, and the paper's like row:

    what it changes and the perplexity and BLEU that it prints, None where the paper has no such row.
    """

    letter: str
    changed: Mapping[str, Any]
    paper: tuple[str, float, float] | None = None


PAPER = ("N = 6, D = 512, F = 2048, K = 8, Q = R = 64", 4.92, 25.8)
"""The paper's base, its perplexity a piece and its BLEU on the development set (table 3)."""
ROWS = {
    "base": Row("base", {}, PAPER),
    "no positions": Row("–", {"positions": "none"}),
    "learned positions": Row("E", {"positions": "learned"}, ("learned", 4.92, 25.7)),
    "1 head": Row("A", {"num_heads": 1}, ("K = 1", 5.29, 24.9)),
    "keys of 2": Row("B", {"d_key": 2}),
    "1 block": Row("C", {"num_layers": 1}, ("N = 2", 6.11, 23.7)),
    "half the width": Row("C", {"d_model": 32}, ("D = 256", 5.75, 24.5)),
    "no dropout": Row("D", {"dropout": 0.0}, ("0", 5.77, 24.6)),
    "no smoothing": Row("D", {"smoothing": 0.0}, ("0", 4.67, 25.3)),
    "no residual": Row("–", {"residual": False}),
    "no normalisation": Row("–", {"norm": "none"}),
    "normalised after": Row("–", {"norm": "post"}),
    "an eighth of F": Row("C", {"d_ff": 32}),
    "keys of 8": Row("B", {"d_key": 8}, ("Q = 32", 5.01, 25.4)),
    "keys of 4": Row("B", {"d_key": 4}, ("Q = 16", 5.16, 25.1)),
    "2 heads": Row("A", {"num_heads": 2}, ("K = 4", 5.00, 25.5)),
    "16 heads": Row("A", {"num_heads": 16}, ("K = 32", 5.01, 25.4)),
    "8 heads": Row("A", {"num_heads": 8}, ("K = 16", 4.91, 25.8)),
    "dropout 0.2": Row("D", {"dropout": 0.2}, ("0.2", 4.95, 25.5)),
    "smoothing 0.2": Row("D", {"smoothing": 0.2}, ("0.2", 5.47, 25.7)),
    "half of F": Row("C", {"d_ff": 128}, ("F = 1024", 5.12, 25.4)),
    "twice F": Row("C", {"d_ff": 512}, ("F = 4096", 4.75, 26.2)),
    "3 blocks": Row("C", {"num_layers": 3}, ("N = 8", 4.88, 25.5)),
    "twice the width": Row("C", {"d_model": 128}, ("D = 1024", 4.66, 26.0)),
    "no residual, slower": Row("–", {"residual": False, "rate": 1e-3}),
}
"""What is changed, by its name, in the order in which the runs are made."""


class _Enough(Exception):
    """A watch has seen what it was sent for."""


@dataclass
class Watch:
    """A callback that asks a model for the validation part every EVERY steps, and how long that took.

    It ends the training after `until` steps.
    """

    until: int = BASE["steps"] + 1
    exact: list[float] = field(default_factory=list)
    perplexity: list[float] = field(default_factory=list)
    seconds: float = 0.0

    def __call__(self, state: TrainStep) -> None:
        """Measure, if it is time; what training does is left as it was."""
        if state.step % EVERY == 0:
            began = time.process_time()
            found = judge(state.model, asked("validation"))
            state.model.train()
            self.exact.append(found["exact"])
            self.perplexity.append(found["perplexity"])
            self.seconds += time.process_time() - began
        if state.step == self.until:
            raise _Enough


def recipe(name: str, seed: int = 0) -> TransformerRecipe:
    """The recipe of one row and seed, every setting said."""
    expect(name in ROWS, "name", name, f"one of {', '.join(ROWS)}")
    return TransformerRecipe(seed=seed, **(BASE | ROWS[name].changed))


@cache
def asked(part: str) -> Pairs:
    """The numbers of up to nine digits that a model is asked for: 406 for validation, 1,510 for the test."""
    return encoded(part, BASE["digits"], MOST[part])


@torch.no_grad()
def judge(model: Transformer, of: Pairs) -> dict[str, float]:
    """Of the pairs `of`: how many would be written without a mistake (`exact`), and the `perplexity` of a piece.

    One pass with the true pieces given is enough for both: greedy writing makes no mistake just where the likeliest
    piece is right at every place, given the true pieces before it.
    """
    model.eval()
    logits = model(of.source, of.mask, of.target)
    right = (logits.argmax(2) == of.target) | ~of.asked
    surprise = cross_entropy(logits[of.asked], of.target[of.asked])
    return {
        "exact": round(right.all(1).double().mean().item(), 4),
        "perplexity": round(surprise.exp().item(), 4),
    }


def run(name: str, seed: int = 0) -> tuple[Transformer, dict[str, Any]]:
    """Train one row with one seed: the model, and what is recorded of it."""
    watch, began = Watch(), time.process_time()
    model, _ = recipe(name, seed).train((watch,))
    seconds = time.process_time() - began - watch.seconds
    curves = {"exact": watch.exact, "perplexity": watch.perplexity}
    return model, judge(model, asked("test")) | {"seconds": round(seconds, 1), "validation": curves}


def begun(name: str, seed: int, steps: int) -> Watch:
    """What the first `steps` steps of a run come to on the validation part: the beginning of its record."""
    watch = Watch(until=steps)
    with suppress(_Enough):
        recipe(name, seed).train((watch,))
    return watch


def verdict(values: Sequence[float], base: Sequence[float]) -> str:
    """What seeds say of a change, where less is better.

    "worse" or "better" when their mean is further from the mean of the base's seeds than these are from each other,
    else "as the base".
    """
    by = sum(values) / len(values) - sum(base) / len(base)
    if abs(by) <= max(base) - min(base):
        return "as the base"
    return "worse" if by > 0 else "better"


def weights(name: str) -> int:
    """How many numbers the model of a row has learned."""
    return sum(p.numel() for p in recipe(name).build().parameters())


def path() -> Path:
    """Where the measurements lie."""
    return WEIGHTS / "what_matters.json"


def measured() -> dict[str, dict[str, dict[str, Any]]]:
    """What `export` measured, by row and seed; only rows whose settings are still those of this file."""
    return {name: row["seeds"] for name, row in _recorded().items()}


def _recorded() -> dict[str, dict[str, Any]]:
    if not path().exists():
        return {}
    rows = read_record(path())["rows"]
    return {name: row for name, row in rows.items() if name in ROWS and row["recipe"] == _settings(name)}


def _settings(name: str) -> dict[str, Any]:
    return BASE | ROWS[name].changed


def export() -> None:
    """Make every run that is not recorded yet, and write each as soon as it is done.

    Some 75 runs, about half an hour of one processor. The first three rows come with all their seeds, then the others,
    in the order of ROWS.
    """
    torch.set_num_threads(1)  # so that seconds can be compared
    todo = [(name, seed) for name in ROWS for seed in SEEDS.get(name, SEEDS["base"][:3])]
    for name, seed in todo:
        rows = _recorded()
        row = rows.setdefault(name, {"recipe": _settings(name), "weights": weights(name), "seeds": {}})
        if str(seed) in row["seeds"]:
            continue
        found = run(name, seed)[1]
        row["seeds"][str(seed)] = found
        print(f"{name}, {seed}: exact {found['exact']:.3f}, perplexity {found['perplexity']:.3f}", flush=True)
        write_record(path(), {"torch": torch.__version__, "rows": rows}, indent=1)
