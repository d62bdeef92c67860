"""What the page on Neural Turing Machines claims: length, the parts of an address, slots, and harder tasks."""

from functools import cache

import torch

from attend.evidence import SHARE, All, Reaches, recorded
from attend.recipes import ntm_tasks
from attend.recipes.ntm import TUNED_ON, NTMRecipe, exact
from attend.tasks.tape import Task

DATA = ("evidence/records/ntm.json",)
SEEDS = range(10, 15)
FURTHER = (10, 20, 30, 50, 100)
"""Digits of the rows that are copied: the longest of training, and up to ten times that."""
UNIT = "share of 100 new rows answered without a mistake"
BUDGET = (
    "NTM of 7,700 weights, 500 steps of 32 rows of 1 to 10 digits; LSTM of 46,000 and Transformer of 58,000 weights, "
    "3,000 such steps; each the best of three learning rates on one other seed"
)
PARTS = "about 7,700 weights and as many steps of 32 rows a side; each the best of three learning rates on another seed"


@cache
def trained(kind: str, task: Task, seed: int) -> torch.nn.Module:
    """A model at the end of its training; several claims ask for the same one."""
    return NTMRecipe(kind, task, seed).train()[0]


@cache
def found(kind: str, task: Task, seed: int, length: int, slots: int = 256) -> float:
    """The share of exact answers; rows of one seed and length are the same for every kind."""
    return exact(trained(kind, task, seed), task, length, seed, slots)


@recorded(
    "Trained on rows of at most 10 digits, an NTM copies at least 90 % of rows of 100 digits without a mistake; an "
    "LSTM, and a Transformer with sines for positions, copy at most 5 % of rows of 20.",
    source="graves2014neural",
    quote="NTM continues to copy as the length increases, while LSTM rapidly degrades beyond length 20.",
    rule=All(
        (
            Reaches("NTM, 100 digits", at_least=0.9),
            Reaches("LSTM, 20 digits", at_most=0.05),
            Reaches("Transformer, 20 digits", at_most=0.05),
        )
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def tenfold(seed):
    """256 slots in all tests, 16 in training. All lengths are recorded beside it."""
    names = {"ntm": "NTM", "lstm": "LSTM", "transformer": "Transformer"}
    return {
        f"{name}, {length} digits": found(kind, "copy", seed, length)
        for kind, name in names.items()
        for length in FURTHER
    }


@recorded(
    "For copying, location alone is enough: it copies at least 90 % of rows of 100 digits; content alone copies at "
    "most 5 % of rows of 10.",
    source="graves2014neural",
    quote="providing location-based addressing as a primitive operation proved essential for some forms of "
    "generalisation",
    rule=All((Reaches("location, 100 digits", at_least=0.9), Reaches("content, 10 digits", at_most=0.05))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=PARTS,
    unit=UNIT,
)
def copying(seed):
    """Content alone finds another random row in each slot at first, since slots that are alike are one to it."""
    return {
        f"{kind}, {length} digits": found(kind, "copy", seed, length)
        for kind in ("location", "content")
        for length in (10, 100)
    }


@recorded(
    "An NTM that was trained without sharpening copies less than half as many rows of 100 digits.",
    source="graves2014neural",
    quote="without the focus-sharpening mechanism (Equation 9) the weightings would probably lose precision over time",
    rule=Reaches("without, divided by with", at_most=0.5),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=PARTS,
    unit=UNIT,
)
def sharpening(seed):
    """The power is 1 in training and in the test; rows of 10 and 100 digits."""
    values = {
        f"{name}, {length} digits": found(kind, "copy", seed, length)
        for name, kind in (("with", "ntm"), ("without", "blunt"))
        for length in (10, 100)
    }
    return values | {"without, divided by with": values["without, 100 digits"] / max(values["with, 100 digits"], 0.01)}


@recorded(
    "The same trained NTM copies no row of 160 digits in 128 slots, and at least 80 % of them in 256.",
    source="graves2014neural",
    quote="The limiting factor was the size of the memory (128 locations), after which the cyclical shifts wrapped "
    "around and previous writes were overwritten.",
    rule=All(
        (Reaches("160 digits, 128 slots", at_most=0.01), Reaches("160 digits, 256 slots", at_least=0.8)),
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget="the NTMs of the first claim",
    unit=UNIT,
)
def slots(seed):
    """Nothing is trained again: the number of slots is chosen at each call."""
    cases = ((100, 128), (160, 128), (160, 256))
    return {f"{length} digits, {N} slots": found("ntm", "copy", seed, length, N) for length, N in cases}


FRESH = range(25, 30)
"""Seeds 10 and 20 were looked at when recall was declared before, with a shorter training and with a higher rate."""
ITEMS = (5, 10, 20, 50)
"""Items of a row of recall: the most of training, and up to ten times that."""


@recorded(
    "An NTM whose write head begins by walking learns associative recall: among 5 items it answers at least 90 % of "
    "questions, an LSTM at most half.",
    source="graves2014neural",
    quote="NTM learns this task significantly faster than LSTM, terminating at near zero cost within approximately "
    "30,000 episodes, whereas LSTM does not reach zero cost after a million episodes.",
    rule=All(
        (
            Reaches("walking, 5 items", at_least=0.9, limits=SHARE),
            Reaches("LSTM, 5 items", at_most=0.5, limits=SHARE),
        )
    ),
    seeds=FRESH,
    tuned_on=ntm_tasks.TUNED_ON,
    budget="NTM of 7,700 weights, 600 steps of 16 rows of 2 to 5 items; LSTM of 47,000 weights, 1,800 such steps; "
    "the best of three learning rates for the NTM and of four for the LSTM, on other seeds",
    unit="share of 200 new rows answered without a mistake",
)
def recalling(seed):
    """Items of two digits; twice as many slots as steps. Longer rows, and the NTM without this start, stand beside."""
    values = {}
    for kind, name in (("walking", "walking"), ("plain", "plain"), ("lstm", "LSTM")):
        model, _ = ntm_tasks.TaskRecipe(kind, "recall", seed).train()
        values |= {f"{name}, {items} items": ntm_tasks.exact(model, "recall", items, seed) for items in ITEMS}
    return values


REPEATED = (4, 8, 20, 40)
"""Digits of a row that is repeated: the most of training, and up to ten times that."""


@recorded(
    "An NTM whose write head begins by walking learns repeat copy: it answers at least 80 % of rows of 4 digits, the "
    "most of training, and at least half of the rows of 8.",
    source="graves2014neural",
    quote="NTM generalises almost perfectly to longer sequences than seen during training.",
    rule=All((Reaches("4 digits", at_least=0.8, limits=SHARE), Reaches("8 digits", at_least=0.5, limits=SHARE))),
    seeds=FRESH,
    tuned_on=ntm_tasks.TUNED_ON,
    budget="NTM of 7,700 weights, 1,200 steps of 16 rows of 1 to 4 digits, 1 to 5 times; LSTM of 47,000 weights, 2,400 "
    "such steps; the best of three learning rates for the NTM and of five for the LSTM, on other seeds",
    unit="share of 200 new rows, 1 to 5 times, answered without a mistake",
)
def repeating(seed):
    """Twice as many slots as steps. Rows of 20 and 40 digits and an LSTM are recorded beside it, without a rule."""
    values = {}
    for kind, name in (("walking", ""), ("lstm", "LSTM, ")):
        model, _ = ntm_tasks.TaskRecipe(kind, "repeat", seed).train()
        values |= {f"{name}{digits} digits": ntm_tasks.exact(model, "repeat", digits, seed) for digits in REPEATED}
    return values


@recorded(
    "With 1,000 steps, an NTM with one head of each kind learns to sort 5 digits by priority: it answers at least 90 % "
    "of rows.",
    source="graves2014neural",
    quote="eight parallel read and write heads were needed for best performance with a feedforward controller on this "
    "task",
    rule=Reaches("5 digits", at_least=0.9),
    seeds=FRESH,
    tuned_on=ntm_tasks.TUNED_ON,
    budget="7,700 weights, 1,000 steps of 16 rows of 2 to 5 digits; two learning rates on another seed, "
    "neither of which learned it",
    unit="share of 200 new rows answered without a mistake",
)
def sorting(seed):
    """The write head begins by walking; rows of 2 digits, the shortest of training, beside it."""
    model, _ = ntm_tasks.TaskRecipe("walking", "sort", seed).train()
    return {f"{digits} digits": ntm_tasks.exact(model, "sort", digits, seed) for digits in (2, 3, 5)}
