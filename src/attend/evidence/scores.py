"""What the page on scores claims: which score learns which relation, and what wide dot products do."""

import torch

from attend.evidence import SHARE, Alike, All, More, Reaches, measured_here, recorded
from attend.recipes.scores import TUNED_ON, LookupRecipe, WidthRecipe
from attend.soft.scores import SCORES

DATA = ("evidence/records/scores.json",)
SEEN = (*TUNED_ON, *range(10, 14))
"""Seeds of the tuning, and of a first trial, in 500 steps and with rates from one seed, that was broken off."""
JUDGES = range(20, 25)
BUDGET = "800 steps of 64 tables; the best of three rates (500 steps, another seed) for each score and relation"
UNIT = "share of right answers (guessing: 0.125)"
CONTENT = ("dot", "bilinear", "constant")
NETWORKS = (("constant", "alike"), ("additive", "turned"), ("constant", "turned"))


def right(score: str, relation: str, seed: int) -> float:
    """The share of right answers after training."""
    recipe = LookupRecipe(score, relation, seed)
    return recipe.accuracy(recipe.train())


@recorded(
    "Dot product and cosine find the key that is like the query, and not its turned image; a bilinear score learns the "
    "turn.",
    source="ours",
    rule=All(
        (
            Reaches("dot, alike", at_least=0.9, limits=SHARE),
            Reaches("cosine, alike", at_least=0.9, limits=SHARE),
            Reaches("dot, turned", at_most=0.5, limits=SHARE),
            Reaches("cosine, turned", at_most=0.5, limits=SHARE),
            Reaches("bilinear, turned", at_least=0.9, limits=SHARE),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def turned(seed):
    """Keys and queries of 16 numbers; the turn is the same in all tables."""
    scores = ("dot", "cosine", "bilinear")
    return {
        f"{score}, {relation}": right(score, relation, seed) for relation in ("alike", "turned") for score in scores
    }


@recorded(
    "In the same number of steps a bilinear score learns more of the turn than an additive score with a constant.",
    source="ours",
    rule=More("bilinear", "constant, turned", by=0.05),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def network(seed):
    """ "constant" is the additive score whose query has one more number, always 1."""
    found = {f"{score}, {relation}": right(score, relation, seed) for score, relation in NETWORKS}
    return {"bilinear": right("bilinear", "turned", seed), **found}


@recorded(
    "In the plane an additive score with a constant finds the nearest key more often than a dot product, a bilinear "
    "score or a cosine; without the constant, in less than half of all cases.",
    source="ours",
    rule=All(
        (
            *(More("constant", other, by=0.05) for other in ("dot", "bilinear", "cosine")),
            Reaches("additive", at_most=0.5, limits=SHARE),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def nearest(seed):
    """Keys of two numbers from a normal distribution; the query lies close to one of them."""
    return {score: right(score, "nearest", seed) for score in ("dot", "cosine", "bilinear", "additive", "constant")}


@recorded(
    "A key that is asked for by its place is found by location, and by no score that compares contents. By location no "
    "key is found that is asked for by what it holds.",
    source="ours",
    rule=All(
        (
            Reaches("location, place", at_least=0.95, limits=SHARE),
            *(Reaches(f"{score}, place", at_most=0.25, limits=SHARE) for score in CONTENT),
            *(Reaches(f"location, {relation}", at_most=0.25, limits=SHARE) for relation in ("alike", "turned")),
        )
    ),
    seeds=JUDGES,
    tuned_on=SEEN,
    budget=BUDGET,
    unit=UNIT,
)
def place(seed):
    """The keys do not say where they stand."""
    asked = [(score, "place") for score in (*CONTENT, "location")] + [("location", "alike"), ("location", "turned")]
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
    "At width 1,024 a dot product learns less when its scores start with a variance of 1,024 than when they are scaled "
    "or start small; at width 16 scaling makes no such difference.",
    source="ours",
    rule=All(
        (
            More("scaled_dot, 1024", "dot, 1024", by=0.1),
            More("small, 1024", "dot, 1024", by=0.1),
            Alike("scaled_dot, 16", "dot, 16", within=0.1),
        )
    ),
    seeds=range(10, 18),
    tuned_on=TUNED_ON,
    budget="500 steps of 64 tables; the best of three learning rates on another seed, for each start and width",
    unit=UNIT,
)
def width(seed):
    """Relation "turned"; queries and keys are projected to so many numbers by learned weights."""
    asked = [("dot", 16), ("scaled_dot", 16), ("dot", 1024), ("small", 1024), ("scaled_dot", 1024)]
    recipes = {f"{start}, {d}": WidthRecipe(start, d, seed) for start, d in asked}
    return {name: recipe.accuracy(recipe.train()) for name, recipe in recipes.items()}
