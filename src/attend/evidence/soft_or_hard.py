"""What the page on soft and hard attention claims of lookers that it teaches: how fast, how surely, and read how."""

from functools import cache

import torch
from torch import Tensor

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, Share, recorded
from attend.hard.look import OneStepAttention
from attend.recipes.look import WAYS, LookRecipe, cost, differ, found, right, surprise

DATA = ("evidence/records/soft_or_hard.json",)
BUDGET = "Adam, 600 steps of 64 examples with 32 places; one rate, the best of three for every way on another seed"
READ = {"soft": "mean", "marginal": "mixture", "bound": "drawn", "hard": "drawn", "hard, baseline": "drawn"}
"""By which reading each way is judged: its own."""


@recorded(
    "Soft attention is typically easy to train, hard attention harder.",
    source="erdem2021attention",
    quote="harder to train",
    rule=All(
        (
            Reaches("soft, step 100", at_least=0.95, limits=SHARE),
            Reaches("bound, step 100", at_least=0.8, limits=SHARE),
            More("soft, step 100", "hard, baseline, step 100", by=0.2),
            More("hard, baseline, step 100", "hard, step 100", by=0.1),
        )
    ),
    seeds=range(10, 15),
    budget=BUDGET,
    unit="share of right answers, each way judged by its own reading",
)
def train(seed):
    """Soft, marginal and bound climb their aim exactly; the hard ones climb the bound by one look at each example."""
    runs = {way: LookRecipe(way, seed).train(every=50) for way in WAYS}
    shares = {
        f"{way}, step {moment.step}": moment.right[READ[way]]
        for way, (_, moments) in runs.items()
        for moment in moments
    }
    examples = LookRecipe().held_out()
    return shares | {"asked twice, hard, baseline": differ(runs["hard, baseline"][0], examples)}


@recorded(
    "Even without noise in the looks, the bound can give up a mark for hundreds of steps.",
    source="ours",
    rule=Share("a mark is not found at step 300", more_than=0.3),
    seeds=range(10, 20),
    budget="the exact bound, 300 steps of 16 examples at three times the rate of the page",
    unit="trainings",
)
def given_up(seed):
    """A mark is not found where less than a tenth of the weight is on places that bear it, and never was known."""
    recipe = LookRecipe("bound", seed, steps=300, batch=16, rate=0.1)
    model, moments = recipe.train(every=150)
    lost = sum(on < 0.1 for on in found(model, recipe.held_out()))
    return {"a mark is not found at step 300": lost > 0, "marks not found": lost} | {
        f"right at step {moment.step}": moment.right["drawn"] for moment in moments
    }


def gradient(aim: str, model: OneStepAttention) -> Tensor:
    """The gradient of an aim for queries and keys, in one row."""
    loss = cost(aim, model, LookRecipe().held_out(), torch.Generator().manual_seed(0))
    return torch.cat([g.flatten() for g in torch.autograd.grad(loss, [model.query.weight, model.key.weight])])


@cache
def taught(way: str, seed: int, sure: bool) -> tuple[LookRecipe, OneStepAttention]:
    """A looker taught where one place knows, or where two of three places are right."""
    recipe = LookRecipe(way, seed) if sure else LookRecipe(way, seed, S=8, bearers=3, steps=300)
    return recipe, recipe.train(every=recipe.steps)[0]


def told(seed: int, sure: bool) -> dict[str, float]:
    """Right answers and surprise of a net taught softly and of one taught to look, read in every way."""
    values = {}
    for way in ("soft", "bound"):
        recipe, model = taught(way, seed, sure)
        examples = recipe.held_out()
        values |= {f"{way}, {by}": share for by, share in right(model, examples).items()}
        values |= {f"{way}, {by}, nats": nats for by, nats in surprise(model, examples).items()}
    return values


@recorded(
    "Soft attention has an exact gradient.",
    source="erdem2021attention",
    quote="exact gradient",
    rule=OnlyIf(
        "the aim is to answer from a mean; it is not the gradient of looking at one place",
        inside=Reaches("cosine of both gradients, fresh weights", at_least=0.7),
        outside=Reaches("log10 of the bound's gradient over soft's, after soft training", at_most=2.0),
    ),
    seeds=range(10, 15),
    budget=BUDGET,
)
def another(seed):
    """At fresh weights both aims agree where to go; after soft training only the bound still wants to move."""
    fresh, model = LookRecipe(seed=seed).build(), taught("soft", seed, sure=True)[1]
    soft, bound = gradient("soft", model), gradient("bound", model)
    alike = torch.cosine_similarity(gradient("soft", fresh), gradient("bound", fresh), dim=0)
    return {
        "cosine of both gradients, fresh weights": alike.item(),
        "log10 of the bound's gradient over soft's, after soft training": (bound.norm() / soft.norm()).log10().item(),
    }


@recorded(
    "A net taught softly loses when it must look; one taught to look loses nothing when read softly.",
    source="ours",
    rule=All(
        (
            More("bound, drawn", "soft, drawn", by=0.01),
            Reaches("soft, largest", at_least=0.99, limits=SHARE),
            Reaches("bound, mean less drawn", at_least=-0.01, limits=(-1, 1)),
        )
    ),
    seeds=range(10, 15),
    budget=BUDGET,
    unit="share of right answers where one place knows",
)
def read(seed):
    """Taught by the mean or by the exact bound; read by the mean, by one drawn look, or at the largest weight."""
    values = told(seed, sure=True)
    return values | {"bound, mean less drawn": values["bound, mean"] - values["bound, drawn"]}


@recorded(
    "Where no place knows for sure, one look is right in two of three cases, the mean of all always.",
    source="ours",
    rule=All(
        (
            *(Reaches(f"{way}, drawn", at_least=0.6, limits=SHARE) for way in ("soft", "bound")),
            *(Reaches(f"{way}, drawn", at_most=0.69, limits=SHARE) for way in ("soft", "bound")),
            *(Reaches(f"{way}, mean", at_least=0.99, limits=SHARE) for way in ("soft", "bound")),
        )
    ),
    seeds=range(10, 15),
    budget="Adam, 300 steps of 64 examples with 8 places, the same rate",
    unit="share of right answers where two of three places that bear the mark are right",
)
def three(seed):
    """A look can be right in 67 % of the cases at most, no matter how it was taught."""
    return told(seed, sure=False)
