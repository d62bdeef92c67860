"""What the page on ablations claims: rows of the table, each with five to eight runs, beside as many of the base."""

import hashlib
import json
from functools import cache
from pathlib import Path

import torch
from torch.nn.functional import cross_entropy

from attend.core import files
from attend.evidence import Alike, All, More, OnlyIf, Reaches, recorded
from attend.evidence.kit.made_by import made_by
from attend.recipes.what_matters import OWN_RATE, TUNED_ON, AblationRecipe, encoded, measured

DATA = ("evidence/records/what_matters.json",)
RUNS = Path(__file__).parent / "records" / "what_matters_runs.part"
"""Runs that were made already, by the code that made them; what git ignores."""
SEEDS = range(10, 16)
BUDGET = "300 steps of 32 pairs a run; all rows at the learning rate that was the best of four for the base"
UNIT = "per cent of new numbers with a mistake"


def judged(row: str, seed: int, rate: float | None = None) -> dict[str, float]:
    """One run of a row: mistakes, and how much larger the cross-entropy is on new numbers than on the training's."""
    model = AblationRecipe(row, seed, rate=rate).train()
    mistakes, nats = measured(model)
    source, mask, target, asked = encoded("train")
    with torch.no_grad():
        known = cross_entropy(model(source, mask, target)[asked], target[asked]).item()
    return {"": mistakes, ", nats": nats, ", over-fitting": nats - known}


@cache
def _code() -> str:
    """A digest of what makes a run."""
    return hashlib.sha256(repr(sorted(made_by(__name__, "judged").items())).encode()).hexdigest()[:12]


def trained(row: str, seed: int, rate: float | None = None) -> dict[str, float]:
    """The same with the row's name; a run that several claims share, such as the base's, is made once."""
    key = f"{_code()}, {row}, {seed}, {rate}"
    kept = json.loads(RUNS.read_text(encoding="utf-8")) if RUNS.is_file() else {}
    if key not in kept:
        kept[key] = judged(row, seed, rate)
        RUNS.parent.mkdir(parents=True, exist_ok=True)
        files.write(RUNS, json.dumps(kept).encode())
    return {f"{row}{', own rate' if rate else ''}{what}": value for what, value in kept[key].items()}


@recorded(
    "One head is worse than four, and sixteen are worse, too.",
    source="vaswani2017attention",
    quote="While single-head attention is 0.9 BLEU worse than the best setting, quality also drops off with too many "
    "heads.",
    rule=All((More("1 head", "base", paired=False), More("16 heads", "base", paired=False))),
    seeds=range(10, 18),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def heads(seed):
    """Rows A of the paper's table, and narrow keys of its rows B."""
    return trained("base", seed) | trained("1 head", seed) | trained("16 heads", seed) | trained("keys of 2", seed)


@recorded(
    "Half the width, a quarter of the feed-forward width and half of the blocks each translate worse.",
    source="vaswani2017attention",
    quote="as expected, bigger models are better",
    rule=All(tuple(More(row, "base", paired=False) for row in ("half the width", "a quarter of F", "1 block"))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def size(seed):
    """Rows C of the paper's table, downwards."""
    rows = ("base", "half the width", "a quarter of F", "1 block")
    return {name: value for row in rows for name, value in trained(row, seed).items()}


@recorded(
    "Learned positions come within two points of sinusoids.",
    source="vaswani2017attention",
    quote="observe nearly identical results to the base model",
    rule=Alike("learned positions", "base", within=2.0, paired=False),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def learned(seed):
    """Row E of the paper's table; and no positions at all."""
    return trained("base", seed) | trained("learned positions", seed) | trained("no positions", seed)


@recorded(
    "Without dropout the model over-fits more, and translates worse.",
    source="vaswani2017attention",
    quote="dropout is very helpful in avoiding over-fitting",
    rule=OnlyIf(
        "it is measured by the cross-entropy",
        inside=More("no dropout, over-fitting", "base, over-fitting", paired=False),
        outside=More("no dropout", "base", paired=False),
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="over-fitting: cross-entropy on new numbers less that on the training's, in nats a token; otherwise per cent "
    "of new numbers with a mistake",
)
def dropout(seed):
    """The first of the paper's rows D."""
    return trained("base", seed) | trained("no dropout", seed)


@recorded(
    "Label smoothing hurts perplexity but improves accuracy.",
    source="vaswani2017attention",
    quote="This hurts perplexity, as the model learns to be more unsure, but improves accuracy and BLEU score.",
    rule=All(
        (
            More("base, nats", "no smoothing, nats", paired=False),
            More("no smoothing", "base", paired=False),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="nats: the cross-entropy of a new token, the logarithm of the perplexity; otherwise " + UNIT,
)
def smoothing(seed):
    """The paper's row D without smoothing."""
    return trained("base", seed) | trained("no smoothing", seed)


@recorded(
    "The base's learning rate is not what ruins the two worst rows: with the best of four rates for itself, half the "
    "width stays more than ten points behind, and without residual connections nearly every number is wrong.",
    source="ours",
    rule=All(
        (
            More("half the width, own rate", "base", by=10.0, paired=False),
            Reaches("no residuals, own rate", at_least=95.0, limits=(0.0, 100.0)),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget="300 steps of 32 pairs a run; for each of the two rows, as for the base, the best of the same four rates",
    unit=UNIT,
)
def rate(seed):
    """Also: without residual connections at the base's rate."""
    found = trained("base", seed) | trained("no residuals", seed)
    for row, own in OWN_RATE.items():
        found |= trained(row, seed, own)
    return found
