"""The exercises of the page on captions."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.hard.captioner import rewards_to_go
from attend.hard.nwgm import EachRegion, expected_probs, nwgm


def _drawn(*shape: int, seed: int) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


@exercise
def least(least: Callable) -> str:
    """least(T, S) -> the least value of the doubly stochastic term, for T looks at S regions."""
    for T, S in ((6, 9), (1, 4), (8, 3), (5, 5)):
        got, right = torch.tensor(number(least(T, S), "the least value")), torch.tensor((S - T) ** 2 / S)
        if torch.allclose(got, right, atol=1e-5):
            continue
        recognise(
            got,
            {
                "each look has a weight of 1 to give, so S regions get T in all, and that is not S": torch.tensor(0.0),
                "this is the part of one region: add up over all S": right / S,
                "the weights of one look add up to 1, those of all looks to T": torch.tensor((S - 1) ** 2 / S),
                "here one region pays for all: squares are least when the gap is shared": torch.tensor((S - T) ** 2.0),
                "the squares are missing: a gap of a half counts a quarter": torch.tensor(float(abs(S - T))),
            },
        )
        raise Wrong(f"for {T} looks at {S} regions: got {got:.4f}, expected {right:.4f}")
    return "Six looks at nine regions: each gets two thirds at best, and the term cannot fall below 1."


@exercise
def paid(back: Callable) -> str:
    """back(log_p) -> (T): what the look before each word is paid, from the words' log-probabilities (T)."""
    for T, seed in ((6, 0), (3, 1)):
        log_p = -_drawn(T, seed=seed).abs() - 0.1
        got, right = tensor(back(log_p.clone()), T, what="the pay"), rewards_to_go(-log_p[None])[0]
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
                "these are the sums, from the last look to the first: turn them round": right.flip(0),
                "a look is paid the sum of what comes after it, not the mean": right / torch.arange(T, 0, -1),
                "the pay is made of log-probabilities, which add up; probabilities do not": (
                    log_p.exp().flip(0).cumsum(0).flip(0)
                ),
                "the sign is turned: log p is large where the words were right": -right,
            },
        )
        raise Wrong(f"the first look of {T} is paid {right[0]:.4f}, the last {right[-1]:.4f}")
    return "Later words may rest on this look through the summary; earlier ones cannot."


@exercise
def disagree(weights: object, chances: object) -> str:
    """Two weights and two rows of chances: the plain mean and the geometric mean prefer different words."""
    w = torch.tensor([number(value, "a weight") for value in parts(weights, 2, "weights")])
    if bool((w < 0.1).any()) or abs(float(w.sum()) - 1) > 1e-5:
        raise Wrong(f"two weights of 0.1 or more that add up to 1, got {w.tolist()}")
    rows = [
        torch.tensor([number(value, "a chance") for value in parts(row, 3, "a row of chances")])
        for row in parts(chances, 2, "chances")
    ]
    p = torch.stack(rows)
    if bool((p <= 0).any()) or not torch.allclose(p.sum(dim=1), torch.ones(2), atol=1e-5):
        raise Wrong(f"the chances of a row must be above 0 and add up to 1, got {p.tolist()}")
    of = EachRegion(p.log()[None], w[None])
    plain, geometric = expected_probs(of)[0], nwgm(of)[0]
    told = f"plain {_listed(plain)}, geometric {_listed(geometric)}"
    for mean in (plain, geometric):
        if float(mean.topk(2).values.diff().abs()) < 0.01:
            raise Wrong(f"the best two words are too close to tell apart: {told}")
    if int(plain.argmax()) == int(geometric.argmax()):
        raise Wrong(f"both means prefer word {int(plain.argmax()) + 1}; give it next to no chance in one row: {told}")
    return f"A look that all but rules a word out has a veto in the geometric mean: {told}."


def _listed(chances: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in chances.tolist()) + ")"
