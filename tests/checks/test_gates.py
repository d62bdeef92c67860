"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gates
from attend.transformers.gates import gate_weights_as_printed


def after(keep):
    return torch.stack([keep[i + 1 :].prod() for i in range(len(keep))])


def before(keep):
    return torch.stack([keep[:i].prod() for i in range(len(keep))])


def right(keep):
    return (1 - keep) * after(keep)


def hidden(scores, diagonal=0):
    there = torch.ones_like(scores).tril(diagonal) > 0
    return scores.masked_fill(~there, -torch.inf)


def summaries(scores, candidates):
    return hidden(scores).softmax(1) @ candidates


def test_solutions():
    accepts(gates.shares, right)
    accepts(gates.wishes, (0.5, 0, 1, 1, 0.5, 1, 1, 1))
    accepts(gates.wishes, (1, 0, 1, 1, 0.5, 1, 1, 0.3))
    accepts(gates.at_once, summaries)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (after, "1 - z_i is missing"),
        (lambda z: z * right(z), "must begin after i"),
        (lambda z: 1 - z, "shrinks again"),
        (lambda z: before(z) * (1 - z), "gates before i"),
        (lambda z: right(1 - z), "exchanged"),
        (lambda z: gate_weights_as_printed(z[None, :, None])[0, -1, :, 0], "indices of the lecture"),
        (lambda z: right(z) / right(z).sum(), "do not divide"),
        (lambda z: z, "the shares in h_5 are"),
        (lambda z: z[:2], "a tensor of shape (5,)"),
    ],
)
def test_wrong_shares_are_named(answer, says):
    refuses(gates.shares, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0, 0, 1, 1, 1, 1, 1, 1), "lost to step 5"),
        ((0, 0.9, 1, 1, 0.5, 1, 1, 1), "takes in only"),
        ((0, 0, 1, 1, 0.2, 1, 1, 1), "overwrites too much"),
        ((0, 0.4, 0.8, 1, 0.6, 1, 1, 1), "both must be one half"),
        ((0, -1, 1, 1, 0.5, 1, 1, 1), "between 0 and 1"),
        ((0, 0, 1), "the gates must be 8 values"),
        ((0, "shut", 1, 1, 1, 1, 1, 1), "a gate must be a number"),
    ],
)
def test_wrong_gates_are_named(answer, says):
    refuses(gates.wishes, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda e, f: e.softmax(1) @ f, "later ones too"),
        (lambda e, f: e.tril().softmax(1) @ f, "hides nothing"),
        (lambda e, f: e.softmax(1).tril() @ f, "no longer add up"),
        (lambda e, f: hidden(e).softmax(0) @ f, "each row add up to one"),
        (lambda e, f: hidden(e.T).T.softmax(1) @ f, "look ahead"),
        (lambda e, f: hidden(0 * e).softmax(1) @ f, "not used"),
        (lambda e, f: e.tril() @ f, "a softmax makes weights"),
        (lambda e, f: hidden(e, -1).softmax(1) @ f, "look at itself"),
        (lambda e, f: f, "the last summary is"),
        (lambda e, f: e, "a tensor of shape (4, 3)"),
    ],
)
def test_wrong_summaries_are_named(answer, says):
    refuses(gates.at_once, answer, says=says)
