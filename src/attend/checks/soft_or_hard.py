"""Exercises of the page that compares soft and hard attention."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.hard.look import log_marginal, lower_bound
from attend.hard.reinforce import exact_gradient


@exercise
def slope(of_bound: Callable) -> str:
    """of_bound(weights, p) -> (S): ∂ Σ α log p / ∂ scores, from the chances of the places and of the right answer."""
    generator = torch.Generator().manual_seed(0)
    weights, p = torch.randn(5, generator=generator).softmax(0), torch.rand(5, generator=generator) * 0.9 + 0.05
    right = exact_gradient(weights, p.log())
    got = tensor(of_bound(weights.clone(), p.clone()), 5, what="the slopes")
    if torch.allclose(got, right, atol=1e-5):
        return "Each place is held to the mean of all. Hard attention estimates this from one look, you from all S."
    recognise(
        got,
        {
            "this is the slope of the marginal: what a place is found to have done, less its chance": weights
            * p
            / (weights @ p)
            - weights,
            "the mean is missing: when one chance grows, the others shrink": weights * p.log(),
            "log p, not p: this is the slope of Σ α p": exact_gradient(weights, p),
            "α is missing: a place that is hardly drawn moves hardly anything": p.log() - weights @ p.log(),
            "the mean that is taken off is weighted by α": weights * (p.log() - p.log().mean()),
            "this is log p, the slope at the weights; the scores come before the softmax": p.log(),
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def gap(between: Callable) -> str:
    """between(weights, p) -> nats: by how much the bound lies below the marginal."""
    cases = (([0.5, 0.5], [0.9, 0.1]), ([0.2, 0.3, 0.5], [0.4, 0.4, 0.4]), ([0.7, 0.2, 0.1], [0.05, 0.6, 0.9]))
    for weights, p in cases:
        a, b = torch.tensor(weights), torch.tensor(p)
        low, high = lower_bound(a, b.log()).item(), log_marginal(a, b.log()).item()
        got = number(between(a.clone(), b.clone()), "the gap")
        if math.isclose(got, high - low, abs_tol=1e-5):
            continue
        mistakes = {
            "a gap is not below 0: the marginal is the higher one": low - high,
            "this is the bound": low,
            "this is the marginal": high,
            "in nats: take the difference of the logs, not of the chances": math.exp(high) - math.exp(low),
            "the weights are missing: likely looks count more": math.log(sum(p) / len(p))
            - sum(map(math.log, p)) / len(p),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, abs_tol=1e-5):
                raise Wrong(says)
        raise Wrong(f"for weights {weights} and chances {p} the gap is {high - low:.3f}, got {got:.3f}")
    return "Where all places say the same there is no gap, however the looks fall."


@exercise
def ahead(p: object) -> str:
    """Two chances: of two places, drawn equally often, each with two letters to choose from; soft ahead by 0.1."""
    one, two = (number(value, "a chance") for value in parts(p, 2, "p"))
    if not (0 < one < 1 and 0 < two < 1):
        raise Wrong(f"chances lie between 0 and 1, got {one:g} and {two:g}")
    mean = (math.log(one / (1 - one)) + math.log(two / (1 - two))) / 2
    soft, drawn = 1 / (1 + math.exp(-mean)), (one + two) / 2
    told = f"read softly {soft:.3f}, after one look {drawn:.3f}"
    if abs(one - two) < 1e-9:
        raise Wrong(f"two places that say the same can be read either way: {told}")
    if soft < drawn:
        raise Wrong(f"here the single look is ahead; which place must be nearly sure for logits to win? {told}")
    if soft < drawn + 0.1:
        raise Wrong(f"soft is not ahead by 0.1 yet: {told}")
    return f"A place that is nearly sure has a far logit, and outvotes a place in doubt: {told}."


def _spell(vector: torch.Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
