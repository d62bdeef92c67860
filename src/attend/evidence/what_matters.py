"""What the page on ablations claims: rows of the table, each with five to eight runs, beside as many of the base."""

import torch
from torch.nn.functional import cross_entropy

from attend.evidence import Alike, All, More, OnlyIf, Reaches, recorded
from attend.recipes.what_matters import OWN_RATE, TUNED_ON, AblationRecipe, encoded, measured
from attend.transformers.ablated import AblatedTranslator

DATA = ("evidence/records/what_matters.json",)
SEEDS = range(10, 16)
BUDGET = "300 steps of 32 pairs a run; all rows at the learning rate that was the best of four for the base"
UNIT = "per cent of new numbers with a mistake"


def trained(row: str, seed: int) -> dict[str, float]:
    """One run of a row: mistakes, and the cross-entropy of new tokens."""
    mistakes, nats = measured(AblationRecipe(row, seed).train())
    return {row: mistakes, f"{row}, nats": nats}


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


@torch.no_grad()
def over_fitted(model: AblatedTranslator) -> float:
    """How much larger the cross-entropy of a token is on new numbers than on those of the training, in nats."""
    source, mask, target, asked = encoded("train")
    return measured(model)[1] - cross_entropy(model(source, mask, target)[asked], target[asked]).item()


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
    found = {}
    for row in ("base", "no dropout"):
        model = AblationRecipe(row, seed).train()
        mistakes, nats = measured(model)
        found |= {row: mistakes, f"{row}, nats": nats, f"{row}, over-fitting": over_fitted(model)}
    return found


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
        found[f"{row}, own rate"] = measured(AblationRecipe(row, seed, rate=own).train())[0]
    return found
