"""What the page on the learned counter claims: what it takes to learn to count, what the layers hold, where it ends."""

import torch
from scipy.stats import rankdata
from torch import Tensor

from attend.evidence import SHARE, All, More, OnlyIf, Reaches, recorded
from attend.gating.counter import LearnedCounter
from attend.recipes.counter import EQUAL, STEPS, TUNED_ON, CounterRecipe
from attend.tasks import crossings

DATA = ("evidence/records/counter.json",)
WIDTHS, DEPTHS = (2, 4, 8, 16), (1, 2, 3)
LONG = 3 * STEPS
UNSEEN = (7, 8, 9)
"""Counts that long series reach and those of the training do not."""
BUDGET = "400 steps of 64 series; the best of six learning rates for each kind of counter on another seed"
SOURCE = "sankaran2019part5"


def right(model: LearnedCounter, seed: int, steps: int = STEPS) -> float:
    """The share of 2,000 new series whose last count is right."""
    x, counts = CounterRecipe(seed=seed).test_set(steps)
    return crossings.exact(model.count(x), counts)


@recorded(
    "A gated network learns the counter function from examples.",
    source=SOURCE,
    quote="We're now able to directly learn the counter function that we had hard-coded early on, just by providing "
    "lots of examples.",
    rule=OnlyIf(
        "the series are as long as those of the training",
        inside=Reaches("30 steps", at_least=0.85, limits=SHARE),
        outside=Reaches("90 steps", at_least=0.85, limits=SHARE),
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of series whose last count is right (always saying the commonest count: 0.42 and 0.26)",
)
def learned(seed):
    """Two GRU layers of 16 units and a scalar read-out, trained on series of 30 steps."""
    model = CounterRecipe(seed=seed).train()
    return {f"{steps} steps": right(model, seed, steps) for steps in (STEPS, LONG)}


@recorded(
    "A learned counter needs far more than the two numbers of the one made by hand, and stacking serves it better than "
    "width.",
    source="ours",
    rule=All(
        (
            Reaches("1 x 2", at_most=0.7),
            More("1 x 16", "1 x 4", by=0.05),
            More("3 x 4", "1 x 8", by=0.05),  # 293 and 249 weights
        )
    ),
    seeds=range(20, 25),
    tuned_on=(*TUNED_ON, 10),
    budget="200 steps of 64 series for every size, with the learning rate found for two layers of 16",
    unit="share of series whose last count is right, by layers x units",
)
def sizes(seed):
    """All twelve sizes of the grid above the box; three layers of 4 have about as many weights as one of 8."""
    found = {}
    for num_layers in DEPTHS:
        for width in WIDTHS:
            recipe = CounterRecipe(num_layers=num_layers, hidden_size=width, seed=seed, steps=200)
            found[f"{num_layers} x {width}"] = right(recipe.train(), seed)
    return found


def of_equal_weights(layer: str, num_layers: int, seed: int) -> float:
    """How a counter of about 2,465 weights does."""
    width = EQUAL[layer, num_layers]
    return right(CounterRecipe(layer, num_layers, width, seed=seed).train(), seed)


@recorded(
    "With as many weights and the same tuning, gated layers learn to count better than vanilla ones.",
    source="ours",
    rule=All((More("GRU", "RNN", by=0.05), More("LSTM", "RNN", by=0.05))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of series whose last count is right",
)
def gates(seed):
    """Two layers each: 28 units of an RNN, 16 of a GRU, 14 of an LSTM; 2,465 to 2,535 weights."""
    return {layer.upper(): of_equal_weights(layer, 2, seed) for layer in ("rnn", "gru", "lstm")}


def auc(feature: Tensor, label: Tensor) -> Tensor:
    """How well each column of `feature` (N, H) tells the labelled rows from the others, by a threshold: (H)."""
    ranks = torch.from_numpy(rankdata(feature, axis=0))  # equal values share their ranks
    positive = label.sum()
    wins = ranks[label].sum(dim=0) - positive * (positive + 1) / 2
    area = wins / (positive * (len(label) - positive))
    return torch.maximum(area, 1 - area)  # low may mean True as well as high


def best_unit(hidden: Tensor, label: Tensor) -> float:
    """The AUC of the unit that is best on one half of the series (B, T, H), on the other half."""
    seen, unseen = (slice(0, len(hidden) // 2), slice(len(hidden) // 2, None))
    chosen = auc(hidden[seen].flatten(0, 1), label[seen].flatten()).argmax()
    return auc(hidden[unseen][:, :, chosen].reshape(-1, 1), label[unseen].flatten()).item()


def linear_r2(hidden: Tensor, counts: Tensor) -> float:
    """How much of the count a weighted sum of the units explains, at the same step, on series it was not fitted to."""
    h, n = hidden.double(), counts.double()[:, :, None]
    half = len(h) // 2
    h, n = h - h[:half].mean(dim=0), n - n[:half].mean(dim=0)  # what the number of the step alone would tell
    weights = torch.linalg.lstsq(h[:half].flatten(0, 1), n[:half].flatten(0, 1)).solution
    left = n[half:] - h[half:] @ weights
    return 1 - (left.square().sum() / n[half:].square().sum()).item()


@recorded(
    "A unit of the lower layer learns to tell inside from outside.",
    source="ours",
    rule=All(
        (
            Reaches("inside, layer 1, trained", at_least=0.85),
            More("inside, layer 1, trained", "inside, layer 1, fresh", by=0.05),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="AUC of the best unit for inside",
)
def inside(seed):
    """The unit is chosen on 1,000 series and measured on 1,000 others; so is the weighted sum for the count."""
    recipe = CounterRecipe(seed=seed)
    x, counts = recipe.test_set()
    band, found = crossings.inside(x[:, :, 0]), {"inside, input": best_unit(x, crossings.inside(x[:, :, 0]))}
    for name, model in (("fresh", recipe.build()), ("trained", recipe.train())):
        with torch.no_grad():
            _, layers = model(x)
        for k, hidden in enumerate(layers, 1):
            found[f"inside, layer {k}, {name}"] = best_unit(hidden, band)
            found[f"count, layer {k}, {name}"] = linear_r2(hidden, counts)
    return found


TAKEN = {"lower": (1, (0,)), "upper": (1, (1,)), "both": (1, (0, 1)), "same count": (0, (0, 1))}
"""How many entrances more the giver had, and the layers whose state is taken over."""


def transplanted(model: LearnedCounter, x: Tensor, counts: Tensor, at: int = 14) -> dict[str, float]:
    """By how much a network counts on from more, when it gets states of a series that had one entrance more.

    After step `at` a series takes over the state of another one that was on the same side of the band, with nearly the
    same last two inputs, and one more entrance; then it goes on with its own inputs. Means of what is said at the end.
    The control is a giver with the same count, from which nothing should be counted.
    """
    side, last_two = crossings.inside(x[:, :, 0])[:, at - 1 : at + 1], x[:, at - 1 : at + 1, 0]
    _, states = model.stack(x[:, : at + 1])

    def end(takers, givers, taken):
        mixed = [state[givers if k in taken else takers] for k, state in enumerate(states)]
        return model.head(model.stack(x[takers, at + 1 :], mixed)[0][-1][:, -1])[:, 0]

    more_said = {name: [] for name in TAKEN}
    for name, (more, taken) in TAKEN.items():
        for count in (0, 1, 2):
            takers, givers = ((counts[:, at] == had).nonzero().flatten() for had in (count, count + more))
            apart = torch.cdist(last_two[takers], last_two[givers])
            apart = apart + 9.0 * (side[takers][:, None] != side[givers][None]).any(dim=2)
            nearest, giver = (apart + 9.0 * (takers[:, None] == givers)).min(dim=1)
            takers, givers = takers[nearest < 0.15], givers[giver[nearest < 0.15]]
            more_said[name].append(end(takers, givers, taken) - end(takers, givers, ()))
    return {name: torch.cat(parts).mean().item() for name, parts in more_said.items()}


@recorded(
    "No layer keeps the count alone: patching the states of both layers carries over more of an extra entrance than "
    "patching that of either layer.",
    source="ours",
    rule=All((Reaches("both", at_least=0.6), More("both", "upper", by=0.1), More("both", "lower", by=0.1))),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="entrances by which the last count rises (1 would be all)",
)
def moved(seed):
    """3,000 series of 30 steps; the state is exchanged after step 15."""
    recipe = CounterRecipe(seed=seed)
    x, counts = crossings.sample(3_000, STEPS, generator=torch.Generator().manual_seed(3_000 + seed))
    model = recipe.train()
    with torch.no_grad():
        return transplanted(model, x, counts)


@recorded(
    "Beyond the counts of the training a running sum goes on counting, where a softmax and a scalar read-out stop.",
    source="ours",
    rule=All(
        (
            Reaches("sum, error", at_most=1.0),
            More("scalar, error", "sum, error", by=2.0),
            More("softmax, error", "sum, error", by=2.0),
        )
    ),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="mean absolute error of the count where 7 to 9 is true",
)
def beyond(seed):
    """Trained on series of 30 steps, asked at every step of series of 90."""
    x, counts = CounterRecipe(seed=seed).test_set(LONG)
    unseen, found = sum(counts == count for count in UNSEEN).bool(), {}
    for readout in ("softmax", "scalar", "sum"):
        model = CounterRecipe(readout=readout, seed=seed).train()
        said = model.count(x)
        found[f"{readout}, error"] = (said - counts)[unseen].abs().double().mean().item()
        found[f"{readout}, right"] = right(model, seed)
        for count in range(11):
            found[f"{readout}, {count}"] = said[counts == count].double().mean().item()
        if readout == "scalar":
            found["ceiling"] = (model.head.bias + model.head.weight.abs().sum()).item()
    return found
