"""What the page on scores claims: which score learns which relation, and what scores that are far apart do."""

import torch

from attend.evidence import SHARE, Alike, All, More, Reaches, measured_here, recorded
from attend.recipes.scores import FACTORS, TUNED_ON, FactorRecipe, LookupRecipe
from attend.soft.scores import SCORES

DATA = ("evidence/records/scores.json",)
SEEN = (*TUNED_ON, *range(10, 14))
"""Seeds of the tuning, and of a first trial with another read-out and another loss, that was broken off."""
JUDGES = range(20, 25)
BUDGET = "300 steps of 64 tables; the best of three learning rates on another seed, for each score and relation"
UNIT = "share of right answers (guessing: 0.125)"
CONTENT = ("dot", "cosine", "bilinear", "constant")
TWICE = ("alike", "shifted")


def right(score: str, relation: str, seed: int) -> float:
    """The share of right answers after training."""
    recipe = LookupRecipe(score, relation, seed)
    return recipe.accuracy(recipe.train())


@recorded(
    "Dot product and cosine find the key that is like the query, and not one of which it is a shifted copy; a bilinear "
    "score learns the shift.",
    source="ours",
    rule=All(
        (
            Reaches("dot, alike", at_least=0.9, limits=SHARE),
            Reaches("cosine, alike", at_least=0.9, limits=SHARE),
            Reaches("dot, shifted", at_most=0.5, limits=SHARE),
            Reaches("cosine, shifted", at_most=0.5, limits=SHARE),
            Reaches("bilinear, shifted", at_least=0.9, limits=SHARE),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def shifted(seed):
    """Keys and queries of 16 numbers; the query has each number one place further on."""
    scores = ("dot", "cosine", "bilinear")
    return {f"{score}, {relation}": right(score, relation, seed) for relation in TWICE for score in scores}


@recorded(
    "Without a constant an additive score does not learn the shift, with one it does.",
    source="ours",
    rule=All(
        (
            Reaches("additive, shifted", at_most=0.5, limits=SHARE),
            Reaches("constant, shifted", at_least=0.9, limits=SHARE),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def constant(seed):
    """The constant is one more number in the query, always 1: 32 weights more."""
    scores = ("additive", "constant")
    return {f"{score}, {relation}": right(score, relation, seed) for relation in TWICE for score in scores}


@recorded(
    "In the plane an additive score with a constant finds the nearest key more often than a dot product, a bilinear "
    "score or a cosine.",
    source="ours",
    rule=All(tuple(More("constant", other, by=0.05) for other in ("dot", "bilinear", "cosine"))),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def nearest(seed):
    """Keys of two numbers from a normal distribution; the query lies close to one of them."""
    return {score: right(score, "nearest", seed) for score in (*CONTENT, "additive", "location")}


@recorded(
    "A key that is asked for by its place is found by location, and by no score that compares contents. By location no "
    "key is found that is asked for by what it holds.",
    source="ours",
    rule=All(
        (
            Reaches("location, place", at_least=0.95, limits=SHARE),
            *(Reaches(f"{score}, place", at_most=0.25, limits=SHARE) for score in CONTENT),
            *(Reaches(f"location, {relation}", at_most=0.25, limits=SHARE) for relation in TWICE),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def place(seed):
    """The keys do not say where they stand."""
    asked = [(score, "place") for score in (*CONTENT, "additive", "location")]
    asked += [("location", relation) for relation in TWICE]
    return {f"{score}, {relation}": right(score, relation, seed) for score, relation in asked}


def at_the_query(width: int, scaled: bool, seed: int) -> torch.Tensor:
    """Norms of the gradient that reaches each of 2,000 queries through the softmax over ten keys, (2,000).

    All numbers are independent, with variance 1; the loss is the context's product with a random direction.
    """
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(2_000, 1, width, generator=generator).requires_grad_()
    keys = torch.randn(2_000, 10, width, generator=generator)
    values, direction = torch.randn(2_000, 10, 8, generator=generator), torch.randn(8, generator=generator)
    weights = SCORES["scaled_dot" if scaled else "dot"](queries, keys).softmax(dim=2)
    (gradient,) = torch.autograd.grad((weights @ values @ direction).sum(), queries)
    return gradient[:, 0].norm(dim=1)


@measured_here(
    "Wide dot products grow large, and push the softmax into regions where it has extremely small gradients.",
    source="vaswani2017attention",
    quote="We suspect that for large values of d_k, the dot products grow large in magnitude, pushing the softmax "
    "function into regions where it has extremely small gradients.",
    rule=All((More("scaled, width 1024", "dot, width 1024", by=2), Alike("scaled, width 4", "dot, width 4", within=1))),
    seeds=range(5),
    unit="log10 of the gradient that reaches the query, median of 2,000 queries",
)
def gradients(seed):
    """Whatever the width, the scaled dot product divides this gradient by the root of it."""
    ways = {"dot": False, "scaled": True}
    return {
        f"{way}, width {width}": at_the_query(width, scaled, seed).median().log10()
        for way, scaled in ways.items()
        for width in (4, 1024)
    }


@recorded(
    "Scores that are multiplied by 256 or 2,048 before the softmax learn less in the same number of steps; multiplied "
    "by 32, the root of 1,024, most is still learned.",
    source="ours",
    rule=All(
        (
            More("times 1", "times 256", by=0.1),
            More("times 1", "times 2048", by=0.4),
            Reaches("times 32", at_least=0.9, limits=SHARE),
        )
    ),
    seeds=range(20, 28),
    tuned_on=SEEN,
    budget="300 steps of 64 tables; the best of three learning rates on another seed, for each factor",
    unit=UNIT,
)
def saturation(seed):
    """A bilinear score under the relation "shifted"; its scores have variance 1 before training."""
    recipes = {f"times {factor:g}": FactorRecipe(factor, seed) for factor in FACTORS}
    return {name: recipe.accuracy(recipe.train()) for name, recipe in recipes.items()}
