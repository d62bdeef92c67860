"""What the page on ULMFiT claims: what its stages are worth, for word order and for the opinion of a reviewer."""

from functools import cache

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

from attend.evidence import All, More, OnlyIf, recorded
from attend.recipes.ulmfit import (
    BEST,
    LABELS,
    STEPS,
    TUNED_ON,
    Classify,
    LanguageModel,
    Part,
    Task,
    accuracy,
    dealt,
    examples,
    films_alone,
    fine_tuned,
    pooled,
    trained,
    word_counts,
)
from attend.transformers.ulmfit import AWDLSTM

DATA = ("evidence/records/ulmfit.json",)
SEEDS = range(20, 25)
"""Seed 10 has seen a longer stage two."""
UNIT = "share of 1,427 test reviews named right (guessing: 0.5)"
BUDGET = (
    "one stage one, the page's, 1,200 steps of 32 x 50 tokens; stage two anew each time, 150 steps; labels and their "
    "order anew each time; 160, 240 and 480 steps of 16 reviews for 100, 400 and 2,000 labels, the same for all "
    "networks; learning rates: the better of two for each way to train, chosen on two other seeds with 400 labels"
)
TRANSFER = (
    "Parameters learned during the training of large language models using self-supervision have been shown to be "
    "extremely effective when transferred to other NLP prediction tasks."
)


LONGER = 750
"""Five times the steps of stage two: what film reviews alone do when they are read longer."""


@cache
def language(stages: str, seed: int) -> AWDLSTM:
    """A language model by the stages behind it: "both", "general", "films", "films longer" or "neither"."""
    if stages == "both":
        return fine_tuned(seed)
    if stages == "general":
        return trained()
    if stages == "films longer":
        return LanguageModel("films", LONGER, seed=seed).train()
    return films_alone(seed) if stages == "films" else LanguageModel(seed=seed).build().eval()


@cache
def right(task: Task, stages: str, gradual: bool, labels: int, seed: int) -> float:
    """The share of test reviews that a classifier on one of these language models names right."""
    rate, decay = BEST[gradual], 2.6 if gradual else 1.0
    one = Classify(task, labels, rate, decay, gradual, STEPS[labels], seed=seed)
    return accuracy(one.train(language(stages, seed)), task, "test")


def compared(task: Task, seed: int) -> dict[str, float]:
    """ULMFiT, the same network from scratch as it is best trained, and counted words, by number of labels."""
    found = {}
    for n in LABELS:
        found[f"ULMFiT, {n:,}"] = right(task, "both", True, n, seed)
        found[f"from scratch, {n:,}"] = right(task, "neither", False, n, seed)
        found[f"counted words, {n:,}"] = word_counts(task, n, seed, "test")
    return found


BOTH = All(
    tuple(More(f"ULMFiT, {n:,}", f"{side}, {n:,}") for n in LABELS for side in ("from scratch", "counted words"))
)


@recorded(
    "Which reviews have words out of order, ULMFiT tells better than the same network from scratch and than counted "
    "words, from 100, from 400 and from 2,000 labels.",
    source="hu2019lecture16",
    quote=TRANSFER,
    rule=BOTH,
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def order(seed):
    """In half of the reviews three times two neighbouring words changed places."""
    return compared("order", seed)


@recorded(
    "Which reviews praise their film, ULMFiT tells better than the same network from scratch and than counted words, "
    "from 100, from 400 and from 2,000 labels.",
    source="hu2019lecture16",
    quote=TRANSFER,
    rule=BOTH,
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def opinion(seed):
    """The same reviews as their readers rated them."""
    return compared("opinion", seed)


@recorded(
    "With 400 labels, on word order, ULMFiT without its first stage or without its second names fewer reviews right.",
    source="ours",
    rule=All((More("both stages", "no general text"), More("both stages", "no film reviews"))),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def stages(seed):
    """Stage two reads reviews for 150 steps, after general text or without; beside it, for LONGER steps without."""
    return {
        "both stages": right("order", "both", True, 400, seed),
        "no general text": right("order", "films", True, 400, seed),
        "no film reviews": right("order", "general", True, 400, seed),
        "neither": right("order", "neither", True, 400, seed),
        f"no general text, {LONGER} steps": right("order", "films longer", True, 400, seed),
    }


@recorded(
    "Unfrozen layer by layer, with a rate that falls by 2.6 from layer to layer, the pre-trained network names more "
    "reviews right than with one rate for all layers at once, with 400 labels.",
    source="hu2019lecture16",
    quote="Particularly, the authors train an AWD-LSTM language model on 103 million words of Wikipedia data, "
    "fine-tune on a smaller amount of task-specific data using different learning rates for different layers of the "
    "model, and add a final classifier on the end of the network for the target task.",
    rule=OnlyIf(
        "the task is word order, and not for the reviewer's opinion",
        inside=More("order, layer by layer", "order, all at once"),
        outside=More("opinion, layer by layer", "opinion, all at once"),
    ),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit=UNIT,
)
def unfreezing(seed):
    """The same language model, labels, steps and order of reviews."""
    tasks: tuple[Task, ...] = ("order", "opinion")
    ways = {"layer by layer": True, "all at once": False}
    return {
        f"{task}, {way}": right(task, "both", gradual, 400, seed) for task in tasks for way, gradual in ways.items()
    }


PENALTIES = (1e-3, 1e-2, 1e-1)
"""C of the linear classifier on frozen states: the best on validation reviews."""


def read_off(model: AWDLSTM, task: Task, seed: int) -> tuple[float, float]:
    """Of 2,000 labels: shares of test reviews that a linear classifier names right, and the best single number."""
    rows = dealt(task, 2_000, seed).numpy()
    parts: tuple[Part, ...] = ("train", "validation", "test")
    x = {part: pooled(model, task, part).numpy() for part in parts}
    y = {part: examples(task, part)[1].numpy() for part in parts}
    scale = StandardScaler().fit(x["train"][rows])
    x = {part: scale.transform(columns) for part, columns in x.items()}
    x["train"], y["train"] = x["train"][rows], y["train"][rows]
    fitted = [LogisticRegression(C=C, max_iter=1_000).fit(x["train"], y["train"]) for C in PENALTIES]
    best = max(fitted, key=lambda one: one.score(x["validation"], y["validation"]))
    high = x["train"] > np.median(x["train"], axis=0)
    agree = (high == y["train"][:, None]).mean(0)
    unit = int(np.abs(agree - 0.5).argmax())
    said = (x["test"][:, unit] > np.median(x["train"][:, unit])) == (agree[unit] > 0.5)
    return float(best.score(x["test"], y["test"])), float((said == y["test"]).mean())


@recorded(
    "Frozen, the states of the language model tell a linear classifier more about the reviewer's opinion than those of "
    "the same network untrained, by more than 0.02, from 2,000 labels.",
    source="hu2019lecture16",
    quote="Since language modeling requires the resolving of long-term dependencies, hierarchical relations, and "
    "sentiment, it can be seen as an ideal source task for transfer learning in NLP.",
    rule=More("opinion, trained", "opinion, untrained", by=0.02),
    seeds=SEEDS,
    tuned_on=TUNED_ON,
    budget="the language model after both stages; the penalty is the best of three on validation reviews",
    unit=UNIT,
)
def sentiment(seed):
    """Last, largest and mean of each of 48 units; the best single one of these 144 numbers is chosen in training."""
    found = {}
    tasks: tuple[Task, ...] = ("opinion", "order")
    for task in tasks:
        for name, behind in (("trained", "both"), ("untrained", "neither")):
            found[f"{task}, {name}"], single = read_off(language(behind, seed), task, seed)
            if name == "trained":
                found[f"{task}, best single number"] = single
    return found
