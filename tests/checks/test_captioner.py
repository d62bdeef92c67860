"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import captioner

EVEN, VETO = (0.5, 0.5), ((0.9, 0.0999, 0.0001), (0.0001, 0.4, 0.5999))


def ok_least(T, S):
    return (S - T) ** 2 / S


def ok_paid(log_p):
    return log_p.flip(0).cumsum(0).flip(0)


@pytest.mark.parametrize(
    ("check", "answers"),
    [
        (captioner.least, [ok_least]),
        (captioner.least, [lambda T, S: S * (1 - T / S) ** 2]),
        (captioner.paid, [ok_paid]),
        (captioner.disagree, [EVEN, VETO]),
        (captioner.disagree, [(0.2, 0.8), torch.tensor(VETO)]),
    ],
)
def test_solution_and_stub(check, answers):
    accepts(check, *answers)


@pytest.mark.parametrize(
    ("check", "answers", "says"),
    [
        (captioner.least, [lambda T, S: 0], "T in all"),
        (captioner.least, [lambda T, S: (1 - T / S) ** 2], "part of one region"),
        (captioner.least, [lambda T, S: S * (1 - 1 / S) ** 2], "those of all looks to T"),
        (captioner.least, [lambda T, S: (S - T) ** 2], "the gap is shared"),
        (captioner.least, [lambda T, S: S - T], "squares are missing"),
        (captioner.least, [lambda T, S: 99.0], "for 6 looks at 9 regions"),
        (captioner.least, [lambda T, S: "none"], "must be a number"),
        (captioner.paid, [lambda p: p.sum().expand(len(p))], "whole caption"),
        (captioner.paid, [lambda p: p.cumsum(0)], "from the first word on"),
        (captioner.paid, [lambda p: ok_paid(p) - p], "look's own"),
        (captioner.paid, [lambda p: p], "later words as well"),
        (captioner.paid, [lambda p: p.flip(0).cumsum(0)], "turn them round"),
        (captioner.paid, [lambda p: ok_paid(p) / torch.arange(len(p), 0, -1)], "not the mean"),
        (captioner.paid, [lambda p: ok_paid(p.exp())], "probabilities do not"),
        (captioner.paid, [lambda p: -ok_paid(p)], "sign is turned"),
        (captioner.paid, [lambda p: 0 * p], "the first look of 6"),
        (captioner.paid, [lambda p: p.sum()], "shape (6,)"),
        (captioner.disagree, [(0.5, 0.6), VETO], "add up to 1"),
        (captioner.disagree, [(0.99, 0.01), VETO], "0.1 or more"),
        (captioner.disagree, [EVEN, VETO[:1]], "chances must be 2 values"),
        (captioner.disagree, [EVEN, ((0.9, 0.1), (0.5, 0.5))], "must be 3 values"),
        (captioner.disagree, [EVEN, ((0.9, 0.1, 0.0), (0.1, 0.4, 0.5))], "above 0"),
        (captioner.disagree, [EVEN, ((0.9, 0.2, 0.1), (0.1, 0.4, 0.5))], "add up to 1"),
        (captioner.disagree, [EVEN, ((0.8, 0.1, 0.1), (0.7, 0.2, 0.1))], "both means prefer word 1"),
        (captioner.disagree, [EVEN, ((0.4, 0.4, 0.2), (0.4, 0.4, 0.2))], "too close"),
    ],
)
def test_wrong_answers_are_named(check, answers, says):
    refuses(check, *answers, says=says)
