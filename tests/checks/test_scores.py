"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import scores


def network(query, keys, W, U, v):
    return torch.tanh(W @ query + keys @ U.T) @ v


def test_solutions():
    accepts(scores.additive, network)
    accepts(scores.spread, lambda d, a, b: a * b * d**0.5)
    accepts(scores.temperature, lambda gap, share: gap / math.log(share / (1 - share)))
    accepts(scores.disagree, (1.0, 0.0), (3.0, 3.0), (1.0, 0.0))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda q, k, W, U, v: (W @ q + k @ U.T) @ v, "tanh is missing"),
        (lambda q, k, W, U, v: torch.tanh((W @ q + k @ U.T) @ v), "tanh belongs inside"),
        (lambda q, k, W, U, v: torch.tanh(W @ q + k @ U.T).sum(1), "v is missing"),
        (lambda q, k, W, U, v: torch.tanh(U @ q + k @ W.T) @ v, "exchanged"),
        (lambda q, k, W, U, v: (torch.tanh(W @ q) + torch.tanh(k @ U.T)) @ v, "one tanh holds both"),
        (lambda q, k, W, U, v: torch.tanh((W @ q) * (k @ U.T)) @ v, "added, not multiplied"),
        (lambda q, k, W, U, v: torch.tanh(k @ U.T) @ v, "the query is missing"),
        (lambda q, k, W, U, v: network(q, k, W, U, v).softmax(0), "scores come before the softmax"),
        (lambda q, k, W, U, v: k @ q, "expected ("),
        (lambda q, k, W, U, v: torch.tanh(W @ q + k @ U.T), "a tensor of shape (3,)"),
    ],
)
def test_wrong_networks_are_named(answer, says):
    refuses(scores.additive, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda d, a, b: a * a * b * b * d, "this is the variance"),
        (lambda d, a, b: a * b * d, "variances add up"),
        (lambda d, a, b: d**0.5, "a and b count"),
        (lambda d, a, b: (a + b) * d**0.5, "not their sum"),
        (lambda d, a, b: a * b / d**0.5, "grows with the width"),
        (lambda d, a, b: 1.0, "for d = 16"),
        (lambda d, a, b: "wide", "a deviation must be a number"),
    ],
)
def test_wrong_deviations_are_named(answer, says):
    refuses(scores.spread, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda gap, share: math.log(share / (1 - share)) / gap, "one over it"),
        (lambda gap, share: 1 / math.log(share / (1 - share)), "the gap counts"),
        (lambda gap, share: gap * math.log(share / (1 - share)), "divides the scores"),
        (lambda gap, share: -gap / math.log(share), "the other key has 1 - share"),
        (lambda gap, share: -1.0, "above 0"),
        (lambda gap, share: 5.0, "at temperature 5 it has"),
        (lambda gap, share: 1e-9, "at temperature 1e-09 it has 1"),
    ],
)
def test_wrong_temperatures_are_named(answer, says):
    refuses(scores.temperature, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (((1, 0), (1, 0), (3, 3)), "the other way round"),
        (((1, 0), (1, 1), (2, 0)), "must prefer `one`"),
        (((1, 0), (3, 0), (1, 1)), "must prefer `other`"),
        (((1, 0), (3, 0), (1, 0)), "must prefer `other`"),
        (((0, 0), (3, 0), (1, 0)), "query has no length"),
        (((1, 0, 0), (3, 0), (1, 0)), "query must be 2 values"),
        (((1, 0), (3, "far"), (1, 0)), "one must be a number"),
    ],
)
def test_wrong_vectors_are_named(answer, says):
    refuses(scores.disagree, *answer, says=says)
