"""What the page on glimpses claims of readers that it teaches: what one glimpse names, and where it leads next."""

from functools import cache

import torch

from attend.evidence import All, More, Reaches, recorded
from attend.recipes.glimpse import WAYS, WHOLE, GlimpseRecipe, look, places_for
from attend.tasks import search

DATA = ("evidence/records/glimpse.json",)
CROPS = ("one sharp crop", "one coarse crop", "three scales")
GROUPS = 7
"""Groups of distances between a glimpse and the middle of the digit, of 4 pixels each."""
BUDGET = "400 steps of 256 glimpses, the same 16,000 canvases and the same rate for all; 3,000 canvases of test digits"


@cache
def reader(way: str, seed: int) -> dict[str, list[float]]:
    """What a taught reader comes to, by the group of distances: digits `named` right, and how far it stands `then`."""
    lessons = search.canvases("train", 16_000, torch.Generator().manual_seed(10))
    canvases = search.canvases("test", 3_000, torch.Generator().manual_seed(0))
    model, _ = GlimpseRecipe(way, seed).train(lessons)
    found = look(model, way, canvases, places_for(way, canvases.corners, torch.Generator().manual_seed(11)))
    if way == WHOLE:  # it looks from the middle, always
        return {"named": [found.named.float().mean().item()] * GROUPS, "then": [found.then.mean().item()] * GROUPS}
    inside = [found.far // 4 == group for group in range(GROUPS)]
    return {
        "named": [found.named[group].float().mean().item() for group in inside],
        "then": [found.then[group].mean().item() for group in inside],
    }


@recorded(
    "What a glimpse shows depends on its place: on the digit it names more than the whole image does with the same "
    "lessons, far off less.",
    source="ours",
    rule=All(
        (
            *(More(f"{way}, within 4 pixels", WHOLE, by=0.15) for way in CROPS),
            *(More(WHOLE, f"{way}, 24 to 28 pixels off") for way in CROPS),
        )
    ),
    seeds=range(20, 25),
    budget=BUDGET,
    unit="share of digits named right",
)
def near(seed):
    """Guessing gets a tenth."""
    named = {way: reader(way, seed)["named"] for way in WAYS}
    return (
        {f"{way}, within 4 pixels": named[way][0] for way in CROPS}
        | {f"{way}, 24 to 28 pixels off": named[way][6] for way in CROPS}
        | {f"{way}, group {group}": named[way][group] for way in CROPS for group in range(GROUPS)}
        | {WHOLE: named[WHOLE][0]}
    )


@recorded(
    "At equal numbers, three scales lose little to a sharp crop on the digit, and little to a coarse one off it.",
    source="ours",
    rule=All(
        (
            Reaches("lost to the sharp crop, on it", at_most=0.05, limits=(-1, 1)),
            More("three scales, on it", "one coarse crop, on it", by=0.03),
            Reaches("lost to the coarse crop, off it", at_most=0.06, limits=(-1, 1)),
            More("three scales, off it", "one sharp crop, off it", by=0.03),
        )
    ),
    seeds=range(20, 25),
    budget=BUDGET,
    unit="share of digits named right",
)
def both(seed):
    """On it: within 4 pixels of its middle; off it: 16 to 28 pixels away."""
    named = {way: reader(way, seed)["named"] for way in CROPS}
    on = {f"{way}, on it": named[way][0] for way in CROPS}
    off = {f"{way}, off it": sum(named[way][4:]) / 3 for way in CROPS}
    return (
        on
        | off
        | {
            "lost to the sharp crop, on it": on["one sharp crop, on it"] - on["three scales, on it"],
            "lost to the coarse crop, off it": off["one coarse crop, off it"] - off["three scales, off it"],
        }
    )


@recorded(
    "The coarse scales tell where to look next, where one sharp crop of as many numbers cannot.",
    source="ours",
    rule=All(
        (
            Reaches("one coarse crop, 20 to 28 pixels off", at_most=10),
            Reaches("three scales, 20 to 28 pixels off", at_most=10),
            Reaches("one sharp crop, 20 to 28 pixels off", at_least=15),
        )
    ),
    seeds=range(20, 25),
    budget=BUDGET,
    unit="pixels between the digit's middle and the next place",
)
def next_place(seed):
    """How far from the digit the eye stands after one step in the direction that the reader gives."""
    then = {way: reader(way, seed)["then"] for way in WAYS}
    return (
        {f"{way}, 20 to 28 pixels off": (then[way][5] + then[way][6]) / 2 for way in CROPS}
        | {f"{way}, group {group}": then[way][group] for way in CROPS for group in range(GROUPS)}
        | {WHOLE: then[WHOLE][0]}
    )
