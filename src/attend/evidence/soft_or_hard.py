"""What the page on soft and hard attention claims: what a look costs, bias and noise of estimators, and a race."""

import math
import time
from collections.abc import Callable
from functools import cache

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from attend.evidence import All, More, OnlyIf, Reaches, recorded
from attend.hard.look import AttentionClassifier, Weigh, gumbel_softmax
from attend.recipes.look import (
    BATCH,
    TUNED_ON,
    WAYS,
    Right,
    chosen,
    softmax,
    straight_through_draw,
    straight_through_gumbel,
)
from attend.tasks import street

DATA = ("evidence/records/soft_or_hard.json",)
SIZES = (16, 64, 256, 1024, 4096)
"""Numbers of windows at which an answer is timed."""
READINGS = ("soft", "one look", "place given")
TEMPERATURES = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
CASES = range(100, 120)
"""Small cases that were looked at before the margins were written."""
DRAWS = 40_000
AHEAD = ("soft", "sparsemax", "straight-through")
BUDGET = (
    f"200 steps of {BATCH} photos of 32 windows; for each way the best of four settings on two other seeds: four rates "
    "or two rates and two temperatures"
)


def reading(way: str, model: AttentionClassifier, S: int) -> Callable[[], Tensor]:
    """The logits for one photo of S windows: all read, or one after scoring all, or one that is given.

    The model's own parts, without the checks of arguments, which would be most of the time for a small photo.
    """
    thumbnails, windows = torch.rand(S, 16), torch.rand(S, 256)

    def soft() -> Tensor:
        weights = model.score(thumbnails)[:, 0].softmax(dim=0)
        return model.head(weights @ model.value(windows))

    def one_look() -> Tensor:
        index = model.score(thumbnails)[:, 0].argmax()
        return model.head(model.value(windows[index]))

    return {"soft": soft, "one look": one_look, "place given": lambda: model.head(model.value(windows[S // 2]))}[way]


@torch.no_grad()
def multiply_adds(answer: Callable[[], Tensor]) -> int:
    """The multiplications of its matrix products, each with an addition."""
    with FlopCounterMode(display=False) as counter:
        answer()
    return counter.get_total_flops() // 2


@torch.no_grad()
def milliseconds(answer: Callable[[], Tensor], runs: int = 25, repeats: int = 4) -> float:
    """Processor time of one answer, the best of several runs."""
    took = []
    for _ in range(runs):
        began = time.process_time()
        for _ in range(repeats):
            answer()
        took.append((time.process_time() - began) / repeats)
    return 1e3 * min(took)


@recorded(
    "Hard attention costs O(1), the same for every size of the input.",
    source="erdem2021attention",
    quote="$O(1)$",
    rule=OnlyIf(
        "the place is chosen without scoring every place",
        inside=Reaches("place given", at_most=2.0),
        outside=Reaches("one look", at_most=2.0),
    ),
    seeds=range(10, 15),
    budget="answers for one photo by fresh models, one thread; the best of 25 timings of each",
    unit="processor time with 4,096 windows over that with 64",
)
def cost(seed):
    """And how many times as long soft attention takes; multiply-adds and milliseconds at every size."""
    torch.manual_seed(seed)
    model = AttentionClassifier(16, 256, street.CLASSES)
    spent = {(way, S): milliseconds(reading(way, model, S)) for S in SIZES for way in READINGS}
    found = {way: spent[way, 4096] / spent[way, 64] for way in READINGS}
    found |= {f"{way}, {S} windows, ms": spent[way, S] for way, S in spent}
    return found | {f"{way}, {S} windows, MACs": multiply_adds(reading(way, model, S)) for way, S in spent}


def small_case(seed: int) -> tuple[Tensor, Tensor]:
    """Scores of 5 windows, and the logits (5, 4) that each gives to 4 classes; the first class is right."""
    torch.manual_seed(seed)
    return torch.randn(5), 2 * torch.randn(5, 4)


def log_prob(weights: Tensor, values: Tensor) -> Tensor:
    """The log-probability of the right class after reading the values (S, C) with these weights (N, S): (N)."""
    return (weights @ values).log_softmax(dim=-1)[:, 0]


def pathwise(weigh: Weigh, scores: Tensor, values: Tensor, draws: int = DRAWS) -> Tensor:
    """Estimates (N, S) of the gradient with respect to the scores, backward through what `weigh` does."""
    leaf = scores.expand(draws, -1).clone().requires_grad_()
    log_prob(weigh(leaf), values).sum().backward()
    return leaf.grad


def reinforced(scores: Tensor, values: Tensor, baseline: bool, draws: int = DRAWS) -> Tensor:
    """Estimates (N, S) by REINFORCE; the baseline is the expected reward."""
    probs, rewards = scores.softmax(dim=0), log_prob(torch.eye(len(scores)), values)
    drawn = probs.multinomial(draws, replacement=True)
    advantage = rewards[drawn] - (probs @ rewards if baseline else 0.0)
    return advantage[:, None] * (F.one_hot(drawn, len(scores)) - probs)


def exact(scores: Tensor, values: Tensor) -> Tensor:
    """The gradient (S) of the mean log-probability over single windows."""
    probs, rewards = scores.softmax(dim=0), log_prob(torch.eye(len(scores)), values)
    return probs * (rewards - probs @ rewards)


def bias_and_noise(estimates: Tensor, truth: Tensor) -> tuple[float, float]:
    """How far off the mean of estimates (N, S) is, and the root of their variance: both as shares of the truth."""
    variance = estimates.var(dim=0).sum().item()
    squared = (estimates.mean(dim=0) - truth).square().sum().item() - variance / len(estimates)
    length = truth.norm().item()
    return math.sqrt(max(squared, 0.0)) / length, math.sqrt(variance) / length


def estimators(seed: int) -> dict[str, tuple[float, float]]:
    """Bias and noise of every estimator on one small case."""
    scores, values = small_case(seed)
    ways = {"soft": softmax, "straight-through": straight_through_draw}
    for temperature in TEMPERATURES:
        ways[f"Gumbel-softmax, {temperature}"] = lambda e, by=temperature: gumbel_softmax(e, by)
        ways[f"straight-through Gumbel, {temperature}"] = lambda e, by=temperature: straight_through_gumbel(e, by)
    found = {name: pathwise(weigh, scores, values) for name, weigh in ways.items()}
    found |= {name: reinforced(scores, values, name != "REINFORCE") for name in ("REINFORCE", "with a baseline")}
    truth = exact(scores, values)
    return {name: bias_and_noise(estimates, truth) for name, estimates in found.items()}


@recorded(
    "Gumbel-softmax: the lower the temperature, the larger the variance of the gradients, and the smaller their bias.",
    source="jang2017categorical",
    quote="For learning, there is a tradeoff between small temperatures, where samples are close to one-hot but the "
    "variance of the gradients is large, and large temperatures, where samples are smooth but the variance of the "
    "gradients is small",
    rule=All(
        (
            More("noise, 0.1", "noise, 1.0", by=0.3),
            More("noise, 1.0", "noise, 5.0", by=0.3),
            More("bias, 1.0", "bias, 0.1", by=0.3),
            More("bias, 5.0", "bias, 1.0", by=0.1),
        )
    ),
    seeds=range(10, 30),
    tuned_on=CASES,
    budget=f"small cases, 5 windows and 4 classes, nothing is trained; {DRAWS:,} draws",
    unit="log10 of the root of the variance, and of the bias, as shares of the exact gradient",
)
def temperature(seed):
    """The exact gradient is that of the mean log-probability over single windows."""
    every, found = estimators(seed), {}
    for by in TEMPERATURES:
        bias, noise = every[f"Gumbel-softmax, {by}"]
        found |= {f"noise, {by}": _log(noise), f"bias, {by}": _log(bias)}
    return found


@recorded(
    "One draw of straight-through is nearer to the exact gradient than one draw of REINFORCE with a baseline; the "
    "mean of a hundred is further from it.",
    source="ours",
    rule=All(
        (
            More("REINFORCE, 1 draw", "straight-through, 1 draw", by=0.1),
            More("straight-through, 100 draws", "REINFORCE, 100 draws", by=0.1),
        )
    ),
    seeds=range(10, 30),
    tuned_on=CASES,
    budget=f"small cases, 5 windows and 4 classes, nothing is trained; {DRAWS:,} draws; baseline: the expected reward",
    unit="log10 of the root mean squared error, as a share of the exact gradient",
)
def draws(seed):
    """And bias and noise of every estimator."""
    every = estimators(seed)
    sides = {"REINFORCE": every["with a baseline"], "straight-through": every["straight-through"]}
    found = {
        f"{name}, {n} draw{'s' * (n > 1)}": _log(math.sqrt(bias**2 + noise**2 / n))
        for name, (bias, noise) in sides.items()
        for n in (1, 100)
    }
    return found | {
        f"{name}, {what}": value
        for name, both in every.items()
        for what, value in zip(("bias", "noise"), both, strict=True)
    }


@cache
def curve(way: str, seed: int) -> list[Right]:
    """How one way learns."""
    return chosen(way, seed).curve()


@recorded(
    "Hard attention, by REINFORCE from one look, is harder to train than soft, sparsemax and straight-through.",
    source="erdem2021attention",
    quote="harder to train",
    rule=All(tuple(More(f"{way}, step 100", "one look, step 100", by=0.1) for way in AHEAD)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of right answers on new photos, all read by one look, at the largest score",
)
def race(seed):
    """And after every 20 steps, and when the window is drawn, or read as in training."""
    found = {}
    for way in WAYS:
        right = curve(way, seed)
        found |= {f"{way}, step {at.step}": at.largest for at in right}
        found |= {f"{way}, drawn": right[-1].drawn, f"{way}, own": right[-1].own}
    return found


@recorded(
    "Where one window knows, a model that was trained softly loses next to nothing when it reads one window alone.",
    source="ours",
    rule=Reaches("soft, loss", at_most=0.03, limits=(-1.0, 1.0)),
    seeds=range(10, 15),
    tuned_on=TUNED_ON,
    budget=BUDGET,
    unit="share of right answers read as in training, less that by one look at the largest score",
)
def afterwards(seed):
    """And sparsemax; how many windows it reads; and the loss where one look is drawn by the softmax of the scores."""
    found = {}
    for way in ("soft", "sparsemax"):
        last = curve(way, seed)[-1]
        found |= {f"{way}, loss": last.own - last.largest, f"{way}, loss when drawn": last.own - last.drawn}
        found[f"{way}, windows"] = last.windows
    return found


def _log(value: float) -> float:
    return math.log10(max(value, 1e-4))
