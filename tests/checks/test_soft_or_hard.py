"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import soft_or_hard


def of_bound(weights, p):
    return weights * (p.log() - weights @ p.log())


def between(weights, p):
    return (weights @ p).log() - weights @ p.log()


def test_solutions():
    accepts(soft_or_hard.slope, of_bound)
    accepts(soft_or_hard.gap, between)
    accepts(soft_or_hard.ahead, (0.999, 0.5))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda a, p: a * p / (a @ p) - a, "the slope of the marginal"),
        (lambda a, p: a * p.log(), "the mean is missing"),
        (lambda a, p: a * (p - a @ p), "log p, not p"),
        (lambda a, p: p.log() - a @ p.log(), "α is missing"),
        (lambda a, p: a * (p.log() - p.log().mean()), "weighted by α"),
        (lambda a, p: p.log(), "the scores come before the softmax"),
        (lambda a, p: a, "expected ("),
        (lambda a, p: torch.ones(2), "a tensor of shape (5,)"),
    ],
)
def test_wrong_slopes_are_named(answer, says):
    refuses(soft_or_hard.slope, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda a, p: -between(a, p), "not below 0"),
        (lambda a, p: a @ p.log(), "this is the bound"),
        (lambda a, p: (a @ p).log(), "this is the marginal"),
        (lambda a, p: a @ p - (a @ p.log()).exp(), "in nats"),
        (lambda a, p: p.mean().log() - p.log().mean(), "the weights are missing"),
        (lambda a, p: 1.0, "the gap is 0.511, got 1.000"),
    ],
)
def test_wrong_gaps_are_named(answer, says):
    refuses(soft_or_hard.gap, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0.5, 0.5), "say the same"),
        ((0.001, 0.5), "the single look is ahead"),
        ((0.8, 0.5), "not ahead by 0.1"),
        ((1.2, 0.5), "between 0 and 1"),
        ((0.5,), "p"),
    ],
)
def test_chances_that_do_not_do_are_named(answer, says):
    refuses(soft_or_hard.ahead, answer, says=says)
