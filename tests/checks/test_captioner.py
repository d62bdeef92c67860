"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import captioner


def ok_evenly(weights):
    return (1 - weights.sum(0)).square().sum()


def ok_paid(log_p):
    return log_p.flip(0).cumsum(0).flip(0)


def ok_geometric(logits, weights):
    return (weights @ logits).softmax(0)


def product(logits, weights):
    return (logits.softmax(1) ** weights[:, None]).prod(0)


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (captioner.evenly, ok_evenly),
        (captioner.paid, ok_paid),
        (captioner.geometric, ok_geometric),
        (captioner.geometric, lambda n, a: product(n, a) / product(n, a).sum()),
    ],
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (captioner.evenly, lambda w: (1 - w.sum(1)).square().sum(), "over the words"),
        (captioner.evenly, lambda w: (1 - w.sum(0)).sum(), "squares are missing"),
        (captioner.evenly, lambda w: (1 - w.sum(0)).abs().sum(), "not sizes"),
        (captioner.evenly, lambda w: (1 - w.sum(0)).square().mean(), "do not take their mean"),
        (captioner.evenly, lambda w: (1 - w).square().sum(), "before you subtract"),
        (captioner.evenly, lambda w: 99.0, "for 6 looks at 9 regions"),
        (captioner.evenly, lambda w: w.sum(0), "shape ()"),
        (captioner.paid, lambda p: p.sum().expand(len(p)), "whole caption"),
        (captioner.paid, lambda p: p.cumsum(0), "from the first word on"),
        (captioner.paid, lambda p: ok_paid(p) - p, "look's own"),
        (captioner.paid, lambda p: p, "later words as well"),
        (captioner.paid, lambda p: -ok_paid(p), "sign is turned"),
        (captioner.paid, lambda p: 0 * p, "the first look of 6"),
        (captioner.paid, lambda p: p.sum(), "shape (6,)"),
        (captioner.geometric, lambda n, a: a @ n.softmax(1), "arithmetic mean"),
        (captioner.geometric, product, "divide by the sum"),
        (captioner.geometric, lambda n, a: n.mean(0).softmax(0), "own weight"),
        (captioner.geometric, lambda n, a: a @ n, "logits still"),
        (captioner.geometric, lambda n, a: (a @ n.softmax(1)).softmax(0), "is flat"),
        (captioner.geometric, lambda n, a: torch.ones(4) / 4, "the first of 4 words"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
