"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import reinforce


def slope(x, f, mean, sigma):
    return (f[:, None] * (x - mean)).mean(0) / sigma**2


def exact(scores, f):
    weights = scores.softmax(0)
    return weights * (f - weights @ f)


def test_solutions():
    accepts(reinforce.estimate, slope)
    accepts(reinforce.leave_out, lambda f: (f.sum() - f) / (len(f) - 1))
    accepts(reinforce.choice, exact)


def test_a_fair_baseline_does_no_harm():
    def with_baseline(x, f, mean, sigma):
        return slope(x, f - (f.sum() - f) / (len(f) - 1), mean, sigma)

    assert reinforce.estimate(with_baseline).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda x, f, m, s: -slope(x, f, m, s), "the sign is turned"),
        (lambda x, f, m, s: s * slope(x, f, m, s), "divides by σ alone"),
        (lambda x, f, m, s: s**2 * slope(x, f, m, s), "σ is missing"),
        (lambda x, f, m, s: len(x) * slope(x, f, m, s), "not their sum"),
        (lambda x, f, m, s: slope(x, torch.ones(len(x)), m, s), "f is missing"),
        (lambda x, f, m, s: (f[:, None] * x).mean(0) / s**2, "x − mean"),
        (lambda x, f, m, s: slope(x, f - f.mean(), m, s), "it shrinks the slope"),
        (lambda x, f, m, s: slope(x, f, m, s).mean(), "a tensor of shape (3,)"),
        (lambda x, f, m, s: torch.zeros(3), "expected ("),
    ],
)
def test_wrong_slopes_are_named(answer, says):
    refuses(reinforce.estimate, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda f: f.mean().expand(len(f)), "4/5 of itself"),
        (lambda f: f, "nothing is left"),
        (lambda f: (f.sum() - f) / len(f), "divide by 4"),
        (lambda f: f.median().expand(len(f)) + f, "must not move"),
        (lambda f: torch.zeros(len(f)), "not the mean of the others"),
        (lambda f: f.mean(), "a tensor of shape (5,)"),
    ],
)
def test_wrong_baselines_are_named(answer, says):
    refuses(reinforce.leave_out, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda e, f: -exact(e, f), "the sign is turned"),
        (lambda e, f: e.softmax(0) * f, "the mean is missing"),
        (lambda e, f: f - e.softmax(0) @ f, "the weights are missing"),
        (lambda e, f: e.softmax(0) * (f - f.mean()), "not the plain one"),
        (lambda e, f: f, "the scores come before the softmax"),
        (lambda e, f: torch.zeros(len(f)), "expected ("),
        (lambda e, f: e.softmax(0) @ f, "a tensor of shape (3,)"),
    ],
)
def test_wrong_choices_are_named(answer, says):
    refuses(reinforce.choice, answer, says=says)
