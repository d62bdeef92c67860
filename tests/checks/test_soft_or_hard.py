"""Each checker knows the solution, the typical wrong answers and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.nn import functional as F

from attend.checks import soft_or_hard


def backward(weights, upstream):
    kept = weights > 0
    mean = (upstream * kept).sum(1, keepdim=True) / kept.sum(1, keepdim=True)
    return kept * (upstream - mean)


def expected(probs, v):
    return (probs @ torch.sigmoid(-v)) * probs * (v - probs @ v)


def module(weigh):
    """A class whose forward is this function."""
    return type(
        "StraightThrough", (nn.Module,), {"forward": lambda self, scores, temperature: weigh(scores, temperature)}
    )


def weigh(scores, temperature):
    noise = -torch.log(-torch.log(torch.rand_like(scores)))
    weights = ((scores + noise) / temperature).softmax(dim=1)
    one_hot = F.one_hot(weights.argmax(dim=1), scores.shape[1])
    return one_hot + weights - weights.detach()


def test_solutions(monkeypatch):
    accepts(soft_or_hard.by_hand, (0.6, 0.4, 0, 0))
    accepts(soft_or_hard.by_hand, np.array([0.6, 0.4, 0.0, 0.0]))
    accepts(soft_or_hard.backward, backward)
    accepts(soft_or_hard.backward, lambda w, u: backward(w.double(), u.double()).numpy())
    accepts(soft_or_hard.expected, expected)
    monkeypatch.setattr(soft_or_hard, "_trained", lambda weigh: 0.8)
    assert soft_or_hard.build(module(weigh)).state == "right"


@pytest.mark.nightly
def test_the_solution_learns_to_find_the_sign():
    assert soft_or_hard.build(module(weigh)).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (torch.tensor([2.0, 1.8, 0.9, -1.0]).softmax(0), "softmax"),
        ((0.767, 0.567, 0, 0), "leave it out"),
        ((1, 0, 0, 0), "far enough"),
        ((0.1, 0, 0, 0), "take 1 off"),
        ((0.5, 0.4, 0, 0), "add up to 1"),
        ((0.5, 0.5, 0, 0), "lower a threshold"),
        ((0.6, 0.4), "shape (4,)"),
    ],
)
def test_wrong_weights_are_named(answer, says):
    refuses(soft_or_hard.by_hand, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda w, u: w * (u - (w * u).sum(1, keepdim=True)), "of a softmax"),
        (lambda w, u: (w > 0) * u, "threshold is missing"),
        (lambda w, u: (w > 0) * (u - u.mean(1, keepdim=True)), "not over all"),
        (lambda w, u: (w > 0) * (u - (w * u).sum(1, keepdim=True)), "counts the same"),
        (lambda w, u: -backward(w, u), "sign"),
        (lambda w, u: u, "less its mean"),
    ],
)
def test_wrong_gradients_are_named(answer, says):
    refuses(soft_or_hard.backward, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda a, v: a * (F.logsigmoid(v) - a @ F.logsigmoid(v)), "exact gradient"),
        (lambda a, v: torch.sigmoid(-(a @ v)) * a * (v - a @ v), "gradient of soft"),
        (lambda a, v: torch.sigmoid(-v).mean() * a * (v - a @ v), "with their probabilities"),
        (lambda a, v: torch.sigmoid(-v) * a * (v - a @ v), "average the slopes"),
        (lambda a, v: (a @ torch.sigmoid(v)) * a * (v - a @ v), "1 - σ(z)"),
        (lambda a, v: -expected(a, v), "sign"),
        (lambda a, v: a, "for each draw k"),
    ],
)
def test_wrong_means_are_named(answer, says):
    refuses(soft_or_hard.expected, answer, says=says)


def relaxed(scores, temperature, noisy=True):
    noise = -torch.log(-torch.log(torch.rand_like(scores))) if noisy else 0.0
    return ((scores + noise) / temperature).softmax(dim=1)


def past(weights, carrier):
    return F.one_hot(weights.argmax(dim=1), weights.shape[1]) + carrier - carrier.detach()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (relaxed, "a 1 at one place"),
        (lambda e, t: past(relaxed(e, t, False), relaxed(e, t, False)), "where is the noise"),
        (lambda e, t: past(e + torch.randn_like(e), relaxed(e, t)), "Gumbel noise"),
        (lambda e, t: past(relaxed(e, t), e.softmax(1)), "without their noise"),
        (lambda e, t: past(relaxed(e, t), e), "pass the softmax"),
        (lambda e, t: (lambda w: past(w, w))(relaxed(e, 1.0)), "no effect"),
        (lambda e, t: past(relaxed(e, t), relaxed(e, t)).detach(), "no gradient reaches"),
    ],
)
def test_wrong_weighings_are_named(answer, says):
    refuses(soft_or_hard.build, module(answer), says=says)


def test_what_is_no_class_and_what_is_untouched():
    refuses(soft_or_hard.build, weigh, says="the class itself")

    class StraightThrough(nn.Module):
        def forward(self, scores, temperature): ...

    assert soft_or_hard.build(StraightThrough).state == "not yet"
