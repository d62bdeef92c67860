"""What the page on gates claims: who can be asked last, what fits into a state, what a gate gives to attention."""

import torch
from torch import Tensor

from attend.evidence import SHARE, All, Exact, More, Reaches, Slip, measured_here, recorded
from attend.recipes.gates import RATE, TASKS, TUNED_ON, LockersRecipe
from attend.tasks.lockers import THINGS
from attend.transformers.gates import gate_weights

DATA = ("evidence/records/gates.json",)
LENGTHS = (1, 2, 4, 8, 16)
"""Lists on which memories of fixed and of growing size are judged; all of them occur in training."""
MEMORIES = {
    "attention 8": ("attention", 8, 1_000),
    "linear 16": ("linear", 16, 1_000),
    "linear 8": ("linear", 8, 1_000),
    "GRU 64, 2,000 steps": ("gru", 64, 2_000),
}
"""Kind, width and training steps."""
TUNING = "the best of three learning rates on two other seeds, for each layer and task"


def most_frequent(lists: tuple[Tensor, Tensor], of_locker: bool = False) -> float:
    """How often the thing put away most often, overall or in the asked locker, is right; of equals one at random."""
    x, thing = lists
    lockers = x.shape[2] - THINGS
    same = (x[:, :-1, :lockers] * x[:, -1:, :lockers]).sum(dim=2, keepdim=True)  # (B, S, 1)
    counts = (x[:, :-1, lockers:] * (same if of_locker else 1)).sum(dim=1)  # (B, THINGS)
    return ((counts + 1e-3 * torch.rand_like(counts)).argmax(dim=1) == thing).double().mean().item()


def tuned(task: str, kind: str, width: int, seed: int, **settings) -> LockersRecipe:
    """The recipe of a layer for a task, at the learning rate that was found for both."""
    return LockersRecipe(kind, width, **TASKS[task] | settings, seed=seed, rate=RATE[task, kind, width])


@recorded(
    "A GRU that is told first which locker it will be asked for recalls what was in it. Told last, after as much "
    "training, it does not; attention does.",
    source="ours",
    rule=All(
        (
            Reaches("GRU, known", at_least=0.95, limits=SHARE),
            Reaches("GRU, asked last", at_most=0.5, limits=SHARE),
            Reaches("attention, asked last", at_least=0.95, limits=SHARE),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"500 steps of 64 lists of 8 of 12 lockers; {TUNING}",
    unit="share of right things (guessing: 0.167)",
)
def late(seed):
    """A GRU of 64 units, 16,326 weights with its head; attention of width 16, 1,286."""
    found = {}
    for name, *one in (
        ("GRU, known", "known", "gru", 64),
        ("GRU, asked last", "last", "gru", 64),
        ("attention, asked last", "last", "attention", 16),
    ):
        recipe = tuned(*one, seed)
        found[name] = recipe.accuracy(recipe.train())
    return found


@recorded(
    "Of sixteen lockers softmax attention of width 8 recalls more than linear attention of width 8 or a GRU of 64 "
    "units, and linear attention of width 16 recalls more than of width 8.",
    source="ours",
    rule=All(
        (
            Reaches("attention 8, 16 pairs", at_least=0.95, limits=SHARE),
            More("attention 8, 16 pairs", "linear 8, 16 pairs", by=0.1),
            More("linear 16, 16 pairs", "linear 8, 16 pairs", by=0.05),
            More("attention 8, 16 pairs", "GRU 64, 2,000 steps, 16 pairs", by=0.2),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"1,000 steps of 64 lists of 1 to 16 of 16 lockers, the GRU 2,000; {TUNING}, after 1,000 steps",
    unit="share of right things (guessing: 0.167)",
)
def width(seed):
    """At all LENGTHS. Weights: 678 for both kinds of attention of width 8, 1,478 for width 16, 17,094 for the GRU."""
    found = {}
    for name, (kind, units, steps) in MEMORIES.items():
        recipe = tuned("long", kind, units, seed, steps=steps)
        model = recipe.train()
        found |= {f"{name}, {length} pairs": recipe.accuracy(model, length) for length in LENGTHS}
    return found


@recorded(
    "Where lockers are used again and the newest thing counts, attention fails without a forget gate and not with one.",
    source="ours",
    rule=All(
        (
            Reaches("attention", at_most=0.65, limits=SHARE),
            Reaches("with a forget gate", at_least=0.95, limits=SHARE),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=f"1,000 steps of 64 lists of 8, in 4 lockers; {TUNING}",
    unit="share of right things (the most frequent one of the locker: 0.58)",
)
def forget(seed):
    """Attention of width 16 with 902 weights, 913 with the gate; a GRU with 14,790; and on lists of 32, untrained."""
    found = {}
    for name, kind, units in (("attention", "attention", 16), ("with a forget gate", "forget", 16), ("GRU", "gru", 64)):
        recipe = tuned("again", kind, units, seed)
        model = recipe.train()
        found |= {name: recipe.accuracy(model), f"{name}, lists of 32": recipe.accuracy(model, 32)}
    return found


def as_printed(update: Tensor) -> Tensor:
    """The last row of weights as the lecture prints them, for gates (T): u_i … u_{t-i+1} times 1 - u_k below i."""
    t = len(update)
    rows = [update[i - 1 : t - i + 1].prod() * (1 - update[: i - 1]).prod() for i in range(1, t + 1)]
    return torch.stack(rows)


@measured_here(
    "Unrolled, candidate i weighs the product of the gates i to t − i + 1, times one minus each gate before i.",
    source="erdem2021attention",
    quote="h_t = ∑_{i=1}^{t} (∏_{j=i}^{t−i+1} u_j) (∏_{k=1}^{i−1} (1 − u_k)) h̃_i",
    rule=Slip(printed=Exact("off, as printed", within=1e-12), corrected=Exact("off, corrected", within=1e-12)),
    seeds=range(5),
    unit="largest deviation from the hidden state of the loop, candidates one-hot, eight random gates",
)
def printed(seed):
    """The best of four readings: a gate that keeps or takes in, steps counted from the first or from the last."""
    z = torch.rand(8, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    right, h = gate_weights(z[None, :, None])[0, -1, :, 0], torch.zeros(8, dtype=torch.float64)
    for gate, candidate in zip(z, torch.eye(8, dtype=torch.float64), strict=True):
        h = gate * h + (1 - gate) * candidate
    readings = (as_printed(z), as_printed(1 - z), as_printed(z.flip(0)).flip(0), as_printed(1 - z.flip(0)).flip(0))
    off = [(reading - h).abs().max().item() for reading in readings]
    return {"off, as printed": min(off), "off, corrected": (right - h).abs().max()}
