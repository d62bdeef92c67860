"""What the page on heads claims of readers that it teaches: how many places one head reports, and what knows places."""

import torch

from attend.evidence import SHARE, All, OnlyIf, Reaches, recorded
from attend.recipes.heads import HeadsRecipe, around, right, whole
from attend.tasks import neighbours

DATA = ("evidence/records/heads.json",)
BOTH = "share of steps whose letters are all named right"


@recorded(
    "One head cannot report two neighbours, two heads of half the width can.",
    source="vaswani2017attention",
    rule=All((Reaches("one head", at_most=0.2, limits=SHARE), Reaches("two heads", at_least=0.99, limits=SHARE))),
    seeds=range(20, 25),
    budget="300 steps of 64 rows a side, one learning rate for both",
    unit=BOTH,
)
def two(seed):
    """A linear answer stands behind one look; the two heads have together the weights of the one."""
    return {
        name: whole(HeadsRecipe(num_heads, seed).train()[0]) for num_heads, name in ((1, "one head"), (2, "two heads"))
    }


@recorded(
    "One head knows both letters, and not which of them is which.",
    source="ours",
    rule=All(
        (
            Reaches("both among its two best guesses", at_least=0.99, limits=SHARE),
            Reaches("the same letter named before and after", at_least=0.85, limits=SHARE),
        )
    ),
    seeds=range(20, 25),
    budget="300 steps of 64 rows",
    unit="share of answers",
)
def which(seed):
    """Its two likeliest letters for each answer, on 200 new rows."""
    rows = neighbours.sample(200, 12, torch.Generator().manual_seed(3))
    best = HeadsRecipe(1, seed).train()[0](rows).topk(2, dim=3).indices  # (rows, steps, answers, 2)
    among = best[..., None, :] == neighbours.answers(rows)[:, :, None, :, None]
    same = best[..., 0, 0] == best[..., 1, 0]
    return {
        "both among its two best guesses": among.any(4).double().mean().item(),
        "the same letter named before and after": same.double().mean().item(),
    }


@recorded(
    "One head cannot report several places at once.",
    source="vaswani2017attention",
    quote="With a single attention head, averaging inhibits this.",
    rule=OnlyIf(
        "the answer is linear, or there are more than two",
        inside=All(
            (
                Reaches("four letters, one head", at_most=0.6, limits=SHARE),
                Reaches("four letters, four heads", at_least=0.95, limits=SHARE),
            )
        ),
        outside=Reaches("two letters, one head", at_most=0.6, limits=SHARE),
    ),
    seeds=range(20, 25),
    budget="a network of two layers behind the heads; two letters 300 steps, four letters 800 steps of 64 rows",
    unit=BOTH,
)
def several(seed):
    """With a network between the look and the answer, shares of different size tell two letters apart, not four."""
    sides = {
        "two letters, one head": HeadsRecipe(1, seed, feed_forward=True),
        "four letters, one head": around(1, seed),
        "four letters, four heads": around(4, seed),
    }
    return {name: whole(recipe.train()[0]) for name, recipe in sides.items()}


@recorded(
    "Without positions a look cannot find its neighbours; with sinusoids or learned positions it can.",
    source="erdem2021attention",
    rule=All(
        (
            Reaches("none", at_most=0.1, limits=SHARE),
            Reaches("sinusoids", at_least=0.99, limits=SHARE),
            Reaches("learned", at_least=0.99, limits=SHARE),
        )
    ),
    seeds=range(20, 25),
    budget="two heads, 300 steps of 64 rows a side",
    unit=BOTH,
)
def places(seed):
    """The same two heads, told the places of the letters in three ways."""
    return {how: whole(HeadsRecipe(2, seed, positions=how).train()[0]) for how in ("none", "sinusoids", "learned")}


@recorded(
    "Sinusoids let a model go on to rows longer than those it was taught.",
    source="vaswani2017attention",
    quote="it may allow the model to extrapolate to sequence lengths longer than the ones encountered during training",
    rule=Reaches("beyond place 12", at_least=0.5, limits=SHARE),
    seeds=range(20, 25),
    budget="two heads, 300 steps of 64 rows of 12 letters; asked for rows of 24",
    unit=BOTH,
)
def longer(seed):
    """The two heads of the page, place by place in a row twice as long."""
    by_place = right(HeadsRecipe(2, seed).train()[0], 24).all(2).double().mean(0)
    within = {"up to place 10": by_place[:10].mean().item(), "beyond place 12": by_place[12:].mean().item()}
    return within | {f"place {place}": value for place, value in enumerate(by_place.tolist(), start=1)}
