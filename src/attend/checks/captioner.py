"""The exercises of the page on captions."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.hard.captioner import doubly_stochastic, rewards


def _drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise
def evenly(term: Callable) -> str:
    """term(weights) -> the doubly stochastic term of one caption, from the weights (T, L) of its T looks."""
    for T, L, seed in ((6, 9, 1), (3, 5, 2), (4, 4, 0)):
        weights = (2 * _drawn(T, L, seed=seed)).softmax(dim=1)
        got, right = tensor(term(weights.clone()), what="the term"), doubly_stochastic(weights[None])
        if torch.allclose(got, right, atol=1e-5):
            continue
        sums = weights.sum(dim=0)
        recognise(
            got,
            {
                "these are sums over regions, and they are 1 by the softmax: add up over the words": (
                    (1 - weights.sum(dim=1)).square().sum()
                ),
                "the squares are missing: without them, too much here makes up for too little there": (1 - sums).sum(),
                "squares, not sizes: a region left out altogether must cost more than two left out by half": (
                    (1 - sums).abs().sum()
                ),
                "add up over the regions, do not take their mean": (1 - sums).square().mean(),
                "add up a region's weights before you subtract: (1 − sum)², not the sum of (1 − weight)²": (
                    (1 - weights).square().sum()
                ),
            },
        )
        raise Wrong(f"for {T} looks at {L} regions: got {got:.4f}, expected {right:.4f}")
    return "It sees only how much each region was looked at in all, never before which word."


@exercise
def paid(back: Callable) -> str:
    """back(log_p) -> (T): what the look before each word is paid, from the words' log-probabilities (T)."""
    for T, seed in ((6, 0), (3, 1)):
        log_p = -_drawn(T, seed=seed).abs() - 0.1
        got, right = tensor(back(log_p.clone()), T, what="the pay"), rewards(-log_p[None])[0]
        if torch.allclose(got, right, atol=1e-5):
            continue
        recognise(
            got,
            {
                "each look gets the whole caption: true on the average, but words written before it only add noise": (
                    log_p.sum().expand(T)
                ),
                "this counts from the first word on: a look is paid for what comes after it": log_p.cumsum(0),
                "the word that follows at once is the look's own: count it too": right - log_p,
                "a look pays off in later words as well: what it saw stays in the summary": log_p,
                "the sign is turned: log p is large where the words were right": -right,
            },
        )
        raise Wrong(f"the first look of {T} is paid {right[0]:.4f}, the last {right[-1]:.4f}")
    return "Later words may rest on this look through the summary; earlier ones cannot."


@exercise
def geometric(mean: Callable) -> str:
    """mean(logits, weights) -> (V): the normalised weighted geometric mean of the chances after each of L looks."""
    for L, V, seed in ((3, 4, 0), (9, 7, 1)):
        logits, weights = 2 * _drawn(L, V, seed=seed), _drawn(L, seed=seed + 5).softmax(dim=0)
        chances = logits.softmax(dim=1)
        got, right = tensor(mean(logits.clone(), weights.clone()), V, what="the mean"), (weights @ logits).softmax(0)
        if torch.allclose(got, right, atol=1e-5):
            continue
        product = (weights @ chances.log()).exp()
        recognise(
            got,
            {
                "that is the arithmetic mean, which hard attention estimates; the geometric one multiplies": (
                    weights @ chances
                ),
                "normalised: divide by the sum, so that the words' chances add up to 1": product,
                "weighted: each look counts by its own weight": logits.mean(dim=0).softmax(0),
                "these are logits still: take the softmax of their mean": weights @ logits,
                "a softmax of chances is flat: average the logits (or the logs) instead": (weights @ chances).softmax(
                    0
                ),
            },
        )
        raise Wrong(f"the first of {V} words has the chance {right[0]:.4f}, got {got[0]:.4f}")
    return "One softmax of one mean: that is all that soft attention computes where logits are linear in the context."
