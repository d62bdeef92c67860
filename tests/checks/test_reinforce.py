"""Each checker knows the solution, unusual right answers and the typical wrong ones."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import reinforce


def gradient(x, R, mean, sigma):
    return (R[:, None] * (x - mean)).mean(0) / sigma**2


def to_go(rewards):
    return rewards.flip(1).cumsum(1).flip(1)


def others(values):
    return (values.sum(0) - values) / (len(values) - 1)


def advantages(rewards):
    return to_go(rewards) - others(to_go(rewards))


def loss(log_probs, rewards):
    return -(advantages(rewards).detach() * log_probs).mean()


def made(loss):
    """A class whose forward is this function."""

    class PolicyLoss(nn.Module):
        def forward(self, log_probs, rewards):
            return loss(log_probs, rewards)

    return PolicyLoss


class Stub(nn.Module):
    def forward(self, log_probs, rewards): ...


@pytest.mark.parametrize(
    "step", [(-0.2, -1.2, 1.4), np.array([-0.2, -1.2, 1.4]), torch.tensor([-0.2, -1.2, 1.4]).double()]
)
def test_one_draw(step):
    accepts(reinforce.draw, step)


@pytest.mark.parametrize(
    ("step", "says"),
    [
        ((0.2, 1.2, -1.4), "the sign is turned"),
        ((-0.5, -3.0, 3.5), "the baseline is missing"),
        ((-0.1, -0.6, 0.7), "the score function alone"),
        ((-0.3, -1.8, 2.1), "not 3"),
        ((0, 0, 2), "subtract the policy"),
        ((1.8, -1.2, -0.6), "that is the third"),
        ((0, 0, 2 / 0.3), "in the probabilities"),
        ((1, 1, 1), "must add up to 0"),
        ((1, 1, -2), "advantage times"),
        (1.4, "shape (3,)"),
    ],
)
def test_wrong_draws_are_named(step, says):
    refuses(reinforce.draw, step, says=says)


def test_solutions():
    accepts(reinforce.estimate, gradient)
    accepts(reinforce.estimate, lambda x, R, m, s: gradient(x, R - others(R), m, s).double().numpy())
    accepts(reinforce.credit, advantages)
    accepts(reinforce.credit, lambda r: advantages(r).numpy())


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda x, R, m, s: -gradient(x, R, m, s), "the sign is turned"),
        (lambda x, R, m, s: s * gradient(x, R, m, s), "divides by σ alone"),
        (lambda x, R, m, s: s**2 * gradient(x, R, m, s), "σ is missing"),
        (lambda x, R, m, s: len(x) * gradient(x, R, m, s), "not their sum"),
        (lambda x, R, m, s: gradient(x, torch.ones(len(x)), m, s), "R is missing"),
        (lambda x, R, m, s: (R[:, None] * x).mean(0) / s**2, "x - mean"),
        (lambda x, R, m, s: gradient(x, R - R.mean(), m, s), "it shrinks the gradient"),
        (lambda x, R, m, s: R.mean() * (x - m).mean(0) / s**2, "multiply first"),
        (lambda x, R, m, s: gradient(x, R, m, s).mean(), "a tensor of shape (3,)"),
        (lambda x, R, m, s: torch.zeros(x.shape[1]), "times (x - mean)"),
    ],
)
def test_wrong_gradients_are_named(answer, says):
    refuses(reinforce.estimate, answer, says=says)


WRONG = [
    (lambda r: -advantages(r), "the sign is turned"),
    (to_go, "the baseline is missing"),
    (lambda r: r.sum(1, keepdim=True).expand_as(r) - others(r.sum(1, keepdim=True)), "whole return"),
    (lambda r: r.cumsum(1) - others(r.cumsum(1)), "what came before"),
    (lambda r: r - others(r), "own reward alone"),
    (lambda r: to_go(r) - r - others(to_go(r) - r), "belongs to what it can change"),
    (lambda r: to_go(r) - to_go(r).mean(0), "own reward is in its baseline"),
    (lambda r: to_go(r) - (to_go(r).sum(0) - to_go(r)) / len(r), "divide by B - 1"),
    (lambda r: to_go(r) - to_go(r).mean(), "axis 0 alone"),
]


@pytest.mark.parametrize(
    ("answer", "says"), [*WRONG, (lambda r: r[0], "shape (5, 3)"), (lambda r: 7 * r, "less the mean")]
)
def test_wrong_credit_is_named(answer, says):
    refuses(reinforce.credit, answer, says=says)


@pytest.mark.nightly
def test_a_loss_that_teaches():
    assert reinforce.build(made(loss)).state == "right"
    refuses(reinforce.build, loss, says="the class itself")
    assert reinforce.build(Stub).state == "not yet"


def of(wrong):
    return lambda log_probs, rewards: -(wrong(rewards).detach() * log_probs).mean()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        *((of(wrong), says) for wrong, says in WRONG if says != "the sign is turned"),
        (lambda p, r: -loss(p, r), "the sign is turned"),
        (lambda p, r: loss(p, r) * r.numel(), "not a sum"),
        (lambda p, r: -(advantages(r) * p).mean(), "detach them"),
        (lambda p, r: loss(p.detach(), r), "no gradient reaches"),
        (lambda p, r: -(advantages(r) * p), "one number"),
        (lambda p, r: loss(p, r).item(), "one number"),
        (lambda p, r: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_wrong_losses_are_named(answer, says):
    refuses(reinforce.build, made(answer), says=says)
