"""The score-function gradient: how to turn chances towards what went well, where no gradient reaches.

Source   Williams 1992, Simple statistical gradient-following algorithms (REINFORCE); lecture sankaran2019part5.
Departs  values are called f and may be high or low at will; a baseline may differ from sample to sample.
Agrees   exact gradients by enumeration and in closed form, within three standard errors (tests/hard/test_reinforce.py).
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from attend.core.expect import checked, expect


@checked
def draw(
    mean: Float[Tensor, "*B A"],
    sigma: float,
    count: int,
    generator: torch.Generator | None = None,
) -> Float[Tensor, "N *B A"]:
    """`count` samples around each mean, from a normal distribution with standard deviation `sigma` along every axis.

    They carry no gradient of the mean: once drawn, a sample is what it is. Raises ValueError unless both are above 0.
    """
    expect(0 < sigma < math.inf, "sigma", sigma, "a positive number")
    expect(count > 0, "count", count, "a positive whole number")
    noise = torch.randn(count, *mean.shape, generator=generator, dtype=mean.dtype)
    return mean.detach() + sigma * noise


@checked
def log_density(
    sample: Float[Tensor, "*B A"],
    mean: Float[Tensor, "*#B A"],
    sigma: float,
) -> Float[Tensor, "*B"]:
    """The log of the normal density of each sample, in nats; A is the number of axes."""
    expect(0 < sigma < math.inf, "sigma", sigma, "a positive number")
    apart = ((sample - mean) / sigma).square().sum(dim=-1)
    return -0.5 * apart - sample.shape[-1] * (math.log(sigma) + 0.5 * math.log(2 * math.pi))


@checked
def score(
    sample: Float[Tensor, "*B A"],
    mean: Float[Tensor, "*#B A"],
    sigma: float,
) -> Float[Tensor, "*B A"]:
    """∂ log density / ∂ mean: the arrow from the mean to the sample, over σ²."""
    expect(0 < sigma < math.inf, "sigma", sigma, "a positive number")
    return (sample - mean) / sigma**2


@checked
def gradient(
    scores: Float[Tensor, "N *B A"],
    f: Float[Tensor, "N *B"],
    baseline: float | Float[Tensor, ""] | Float[Tensor, "#N *#B"] = 0.0,
) -> Float[Tensor, "*B A"]:
    """An estimate of ∂ E[f] / ∂ mean from N samples.

    It is the mean of their scores, weighted by f minus the baseline,
    and right on average for every baseline that does not depend on
    the sample whose score it goes with.
    """
    _number(baseline)
    advantage = f - baseline
    return (scores * advantage[..., None]).mean(dim=0)


@checked
def others(f: Float[Tensor, "N *B"]) -> Float[Tensor, "N *B"]:
    """A baseline for each of N samples: the mean f of all the others.

    Raises ValueError for a single sample.
    """
    expect(len(f) > 1, "f", f, "at least two samples")
    return (f.sum(dim=0) - f) / (len(f) - 1)


@checked
def best_baseline(
    scores: Float[Tensor, "N *B A"],
    f: Float[Tensor, "N *B"],
) -> Float[Tensor, "*B"]:
    """The constant that makes the estimate vary least: E[|score|² f] / E[|score|²], here over N samples.

    Raises ValueError where all scores are 0.
    """
    weight = scores.square().sum(dim=-1)
    expect(bool((weight.sum(dim=0) > 0).all()), "scores", scores, "scores of which at least one is not 0")
    return (weight * f).sum(dim=0) / weight.sum(dim=0)


@checked
def surrogate(
    log_chance: Float[Tensor, "*B"],
    reward: Float[Tensor, "*B"],
    baseline: float | Float[Tensor, "*#B"] = 0.0,
) -> Float[Tensor, ""]:
    """A loss whose gradient is the estimate: − mean of (reward − baseline) · log chance, the first factor held fixed.

    Reward is what should grow; for a loss f it is −f. The value itself means nothing; only its gradient does.
    """
    _number(baseline)
    advantage = (reward - baseline).detach()
    return -(advantage * log_chance).mean()


@checked
def normalised(
    advantage: Float[Tensor, "*B"],
) -> Float[Tensor, "*B"]:
    """Advantages with mean 0 and standard deviation 1 over everything given; all 0 where they are all equal.

    Equal means: apart by less than a millionth of the largest. Raises ValueError for a single number.
    """
    many = advantage.numel() > 1
    expect(many, "advantage", advantage, "at least two numbers")
    centred = advantage - advantage.mean()
    deviation = centred.square().mean().sqrt()
    if deviation <= 1e-6 * advantage.abs().max():
        return torch.zeros_like(advantage)
    return centred / deviation


class Choice(NamedTuple):
    """One place of S for each row: its number `index` (B, T) and the log of its chance, `log_chance` (B, T)."""

    index: Int[Tensor, "B T"]
    log_chance: Float[Tensor, "B T"]


@checked
def choose(
    weights: Float[Tensor, "B T S"],
    generator: torch.Generator | None = None,
) -> Choice:
    """Draw one of S places from each row of weights, which are its chances.

    Raises ValueError for weights below 0, and for a row that does not add up to 1.
    """
    _chances(weights)
    flat = weights.detach().flatten(0, 1)
    index = torch.multinomial(flat, 1, generator=generator).view(weights.shape[:2])
    chance = weights.gather(2, index[:, :, None]).squeeze(2)
    return Choice(index, chance.clamp(min=torch.finfo(weights.dtype).tiny).log())


@checked
def enumerated(
    weights: Float[Tensor, "*B S"],
    f: Float[Tensor, "*B S"],
) -> Float[Tensor, "*B S"]:
    """The exact ∂ E[f] / ∂ scores of S places, where the chances are the softmax of the scores.

    It is α (f − E[f]), and it costs f at all S places. Raises ValueError for weights that are no chances.
    """
    _chances(weights)
    return weights * (f - (weights * f).sum(dim=-1, keepdim=True))


@checked
def entropy(weights: Float[Tensor, "*B S"]) -> Float[Tensor, "*B"]:
    """How undecided chances are, in nats: 0 when one of them is 1, log S when all are equal.

    Raises ValueError for weights that are no chances.
    """
    _chances(weights)
    return -torch.special.xlogy(weights, weights).sum(dim=-1)


def _chances(weights: Tensor) -> None:
    fair = bool((weights >= 0).all()) and bool((weights.sum(dim=-1) - 1).abs().max() < 1e-3)
    expect(fair, "weights", weights, "chances >= 0 that add up to 1 in each row")


def _number(baseline: float | Tensor) -> None:
    fits = isinstance(baseline, Tensor) or math.isfinite(baseline)
    expect(fits, "baseline", baseline, "a finite number")
