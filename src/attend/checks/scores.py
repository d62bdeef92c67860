"""Exercises of the page on scores."""

import math
from collections.abc import Callable

import torch

from attend.checks.answers import number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.soft.scores import SCORES, Score


@exercise
def additive(score: Callable) -> str:
    """score(query, keys, W, U, v) -> the scores of S keys: query (Q), keys (S, Q), W and U (A, Q), v (A)."""
    generator = torch.Generator().manual_seed(0)
    query, keys = torch.randn(4, generator=generator), torch.randn(3, 4, generator=generator)
    weights = dict(Score("additive", 4, 4, hidden_size=5, generator=generator).requires_grad_(False).weights.items())
    W, U, v = weights["W"], weights["U"], weights["v"]
    right = SCORES["additive"](query[None, None], keys[None], **weights)[0, 0]
    got = tensor(score(query.clone(), keys.clone(), W.clone(), U.clone(), v.clone()), 3, what="the scores")
    if torch.allclose(got, right, atol=1e-5):
        return "Each pair of query and key goes through a small network of its own; all of them share its weights."
    asked, answered = W @ query, keys @ U.T
    recognise(
        got,
        {
            "tanh is missing: without it the query adds the same to every score": (asked + answered) @ v,
            "tanh belongs inside, before v weighs the hidden units": torch.tanh((asked + answered) @ v),
            "v is missing: it weighs the hidden units": torch.tanh(asked + answered).sum(1),
            "W belongs to the query and U to the keys; here they are exchanged": torch.tanh(U @ query + keys @ W.T) @ v,
            "add W q and U k first: one tanh holds both": (torch.tanh(asked) + torch.tanh(answered)) @ v,
            "W q and U k are added, not multiplied": torch.tanh(asked * answered) @ v,
            "the query is missing: all queries would look at the same key": torch.tanh(answered) @ v,
            "these are weights; scores come before the softmax": right.softmax(0),
        },
    )
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def spread(deviation: Callable) -> str:
    """deviation(d, a, b) -> the standard deviation of q · k: d numbers of deviation a, and d of deviation b."""
    for d, a, b in ((16, 3.0, 0.5), (64, 1.0, 1.0), (100, 0.2, 0.4)):
        got, right = number(deviation(d, a, b), "a deviation"), a * b * math.sqrt(d)
        if math.isclose(got, right, rel_tol=1e-6):
            continue
        mistakes = {
            "this is the variance; the deviation is its square root": a * a * b * b * d,
            "variances add up, deviations do not: d products make the deviation √d times as large": a * b * d,
            "the numbers need not have deviation 1: a and b count": math.sqrt(d),
            "the deviation of one product is a times b, not their sum": (a + b) * math.sqrt(d),
            "this divides: the deviation grows with the width": a * b / math.sqrt(d),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, rel_tol=1e-6):
                raise Wrong(says)
        raise Wrong(f"for d = {d}, a = {a:g} and b = {b:g} it is {right:.3g}, got {got:.3g}")
    return "At d = 64 it is 8 for a = b = 1; numbers of deviation 1/3, as a tanh may give, leave 8/9 of it."


@exercise
def temperature(heat: Callable) -> str:
    """heat(gap, share) -> the temperature at which the better of two keys, `gap` ahead, has the weight `share`."""
    for gap, share in ((2.0, 0.9), (1.0, 0.6), (0.5, 0.99)):
        got, odds = number(heat(gap, share), "a temperature"), math.log(share / (1 - share))
        if math.isclose(got, gap / odds, rel_tol=1e-5):
            continue
        mistakes = {
            "this is the sharpness; the temperature is one over it": odds / gap,
            "the gap counts: scores twice as far apart need twice the temperature": 1 / odds,
            "a temperature divides the scores; this multiplies by what the scores should be": gap * odds,
            "the other key has 1 - share: the gap must become log(share / (1 - share))": -gap / math.log(share),
        }
        for says, mistaken in mistakes.items():
            if math.isclose(got, mistaken, rel_tol=1e-5):
                raise Wrong(says)
        if got <= 0:
            raise Wrong(f"a temperature is above 0, or the worse key gets more: got {got:.3g}")
        now = 1 / (1 + math.exp(-max(min(gap / got, 700.0), -700.0)))
        raise Wrong(
            f"with a gap of {gap:g} the better key must have {share:g}; at temperature {got:.3g} it has {now:.3g}"
        )
    return "A cosine's gap is 2 at most, so among ten keys it takes a sharpness above 1 to look at one of them."


@exercise
def disagree(query: object, one: object, other: object) -> str:
    """Three vectors of two numbers: the dot product prefers `one` of the keys, the cosine the `other`."""
    q, *keys = (
        torch.tensor([number(value, name) for value in parts(answer, 2, name)], dtype=torch.float64)
        for answer, name in ((query, "query"), (one, "one"), (other, "other"))
    )
    for name, vector in (("query", q), ("one", keys[0]), ("other", keys[1])):
        if not vector.any():
            raise Wrong(f"{name} has no length, and so no angle with anything")
    by_dot = [float(q @ k) for k in keys]
    by_angle = [by_dot[i] / float(q.norm() * keys[i].norm()) for i in range(2)]
    told = f"dot products {by_dot[0]:.2f} and {by_dot[1]:.2f}, cosines {by_angle[0]:.2f} and {by_angle[1]:.2f}"
    if by_dot[0] < by_dot[1] and by_angle[0] > by_angle[1]:
        raise Wrong(f"they disagree, the other way round: the dot product must prefer `one`; {told}")
    if not by_dot[0] > by_dot[1] + 1e-9:
        raise Wrong(f"the dot product must prefer `one`: make it longer; {told}")
    if not by_angle[1] > by_angle[0] + 1e-9:
        raise Wrong(f"the cosine must prefer `other`: turn it nearer to the query's direction; {told}")
    return f"The long key wins by its length, the other by its direction: {told}."


def _spell(vector: torch.Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
