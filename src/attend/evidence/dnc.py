"""What the page on the differentiable neural computer claims: routes, a city, and what each mechanism is for."""

from functools import cache

import torch
from torch import nn

from attend.evidence import Alike, All, More, Reaches, recorded
from attend.recipes.dnc import TUNED_ON, DncRecipe, accuracy
from attend.tasks import metro

DATA = ("evidence/records/dnc.json",)
SEEDS = range(10, 15)
BUDGET = (
    "traversal: 600 steps of 48 metros, about 26,500 weights (LSTM: 3,000 steps); repeating: 400 steps of 32 pairs of "
    "routes, 9,100 weights; every kind the best of three learning rates on other seeds"
)
UNIT = "share of right answers"


@cache
def model(task: str, kind: str, seed: int) -> nn.Module:
    """A trained model; several claims ask for the same."""
    return DncRecipe(task, kind, seed).train()[0]


@cache
def routes(kind: str, seed: int) -> float:
    """Stations answered along 500 routes of six moves, through as many new metros of six stations and twelve rides."""
    drawn = metro.traversal(500, 6, 2, 6, 0.0, torch.Generator().manual_seed(90_000 + seed))
    return accuracy(model("traversal", kind, seed), *drawn)


@cache
def turns(kind: str, seed: int, length: int) -> float:
    """Turns repeated of 200 routes of `length`, with a slot for each."""
    drawn = metro.repeat(200, length, 1, torch.Generator().manual_seed(90_000 + seed))
    return accuracy(model("repeat", kind, seed), *drawn, slots=length)


@cache
def second(kind: str, seed: int) -> float:
    """Turns repeated of the second of two routes of eight turns, in eight slots."""
    x, target = metro.repeat(200, 8, 2, torch.Generator().manual_seed(90_000 + seed))
    target[:, :16] = -100
    return accuracy(model("repeat", kind, seed), x, target, slots=8)


@recorded(
    "Asked for the stations along a route, the DNC gets more of them right than an LSTM, by more than 30 points.",
    source="graves2016hybrid",
    quote="DNCs have the capacity to solve complex, structured tasks that are inaccessible to neural networks without "
    "external read-write memory.",
    rule=More("DNC", "LSTM", by=0.3),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def route(seed):
    """Metros of six stations and twelve rides that neither has met; routes of six moves."""
    return {"DNC": routes("whole", seed), "LSTM": routes("lstm", seed)}


@recorded(
    "Trained on random metros of at most 12 rides, the DNC answers at least nine in ten stations along routes through "
    "Berlin, which is told as 30 rides, in a memory of twice as many slots.",
    source="graves2016hybrid",
    quote="We show that it can learn tasks such as finding the shortest path between specified points and inferring "
    "the missing links in randomly generated graphs, and then generalize these tasks to specific graphs such as "
    "transport networks and family trees.",
    rule=Reaches("Berlin, 32 slots", at_least=0.9, limits=(0.0, 1.0)),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def city(seed):
    """300 routes of eight moves; rides in any order, codes of stations and trains drawn anew for each."""
    drawn = metro.city(300, 8, torch.Generator().manual_seed(90_000 + seed))
    return {
        "Berlin, 32 slots": accuracy(model("traversal", "whole", seed), *drawn, slots=32),
        "Berlin, 16 slots": accuracy(model("traversal", "whole", seed), *drawn, slots=16),
    }


@recorded(
    "Trained without temporal links, a DNC repeats routes of four times the longest trained length worse, by more than "
    "30 points, and traverses a metro as well, to within 5 points.",
    source="ours",
    rule=All((More("32 turns", "32 turns, no links", by=0.3), Alike("metro", "metro, no links", within=0.05))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def links(seed):
    """The read heads of the second kind look up by content alone, in training, too."""
    found = {f"{n} turns": turns("whole", seed, n) for n in (8, 16, 32)}
    found |= {f"{n} turns, no links": turns("links", seed, n) for n in (8, 16, 32)}
    return found | {"metro": routes("whole", seed), "metro, no links": routes("links", seed)}


@recorded(
    "Trained without free gates, a DNC repeats the second of two routes worse where the first has filled the memory, "
    "by more than 20 points, and traverses a metro as well, to within 5 points.",
    source="ours",
    rule=All(
        (
            More("second route", "second route, nothing freed", by=0.2),
            Alike("metro", "metro, nothing freed", within=0.05),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def freeing(seed):
    """Usage of the second kind only grows; eight slots, and two routes of eight turns."""
    return {
        "first route": turns("whole", seed, 8),
        "first route, nothing freed": turns("freeing", seed, 8),
        "second route": second("whole", seed),
        "second route, nothing freed": second("freeing", seed),
        "metro": routes("whole", seed),
        "metro, nothing freed": routes("freeing", seed),
    }


@recorded(
    "Trained without allocation, where it can write by content alone, a DNC does worse at both tasks, by more than 20 "
    "points.",
    source="ours",
    rule=All(
        (
            More("first route", "first route, no allocation", by=0.2),
            More("metro", "metro, no allocation", by=0.2),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def allocation(seed):
    """The allocation gate is held at zero; the memory starts empty, so that all slots look alike."""
    return {
        "first route": turns("whole", seed, 8),
        "first route, no allocation": turns("allocation", seed, 8),
        "metro": routes("whole", seed),
        "metro, no allocation": routes("allocation", seed),
    }
