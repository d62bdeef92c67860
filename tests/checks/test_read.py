"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import read


def stepped(*, hide="before", axis=1, ask="new", keys=None, context=None, goes_on="new", say="new", weights=None):
    """A decoder's step with one thing done in another way."""

    def step(token, h, all_h, mask, unit, speak):
        new = unit(token, h)
        scores = (all_h @ {"new": new, "old": h}[ask][:, :, None])[:, :, 0]
        if hide == "before":
            scores = scores.masked_fill(~mask, -torch.inf if axis == 1 else -1e9)
        if hide == "zero":
            scores = scores * mask
        alpha = scores.softmax(axis)
        if hide == "after":
            alpha = alpha * mask
        if weights is not None:
            alpha = weights(alpha, mask)
        made = context(alpha, all_h, new) if context else (alpha[:, :, None] * all_h).sum(1)
        states = {"new": new, "old": h}
        return speak(made, states[say]), states[goes_on], alpha

    return step


def ok_query(all_h, s):
    return 20 * all_h[s]


def test_solutions_and_stubs():
    accepts(read.step, stepped())
    accepts(read.query, ok_query)
    accepts(read.twins, ("abc", "cab"))
    assert read.twins(("aab", ["a", "b", "a"])).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (stepped(context=lambda a, all_h, h: a[:, :, None] * all_h), "add the weighted summaries up"),
        (stepped(axis=0), "wrong axis: the weights"),
        (stepped(axis=0, hide="none"), "wrong axis, and padding"),
        (stepped(hide="none"), "padding was read"),
        (stepped(hide="after"), "less than 1"),
        (stepped(hide="zero"), "a score of 0 is not"),
        (stepped(ask="old"), "before the token was read"),
        (stepped(context=lambda a, all_h, h: h), "the writer's own"),
        (stepped(context=lambda a, all_h, h: all_h[[0, 1], [4, 2]]), "last summary alone"),
        (stepped(weights=lambda a, seen: seen / seen.sum(1, keepdim=True)), "the same weight"),
        (stepped(weights=lambda a, seen: 2 * a), "must add up to 1, got 2.000"),
        (stepped(weights=lambda a, seen: torch.eye(5)[[0, 0]]), "not the softmax"),
        (stepped(context=lambda a, all_h, h: 0 * h), "did not get their mean"),
        (stepped(say="old"), "not on the old one"),
        (stepped(goes_on="old"), "goes on to the next step"),
        (stepped(context=lambda a, all_h, h: h[:, :2]), "takes two tensors of shape (2, 4)"),
        (lambda *_: 3, "must be 3 values"),
    ],
)
def test_wrong_steps_are_named(answer, says):
    refuses(read.step, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda all_h, s: all_h[s], "ask louder"),
        (lambda all_h, s: 20 * torch.eye(6)[s], "not of the places"),
        (lambda all_h, s: 20 * all_h[0], "the largest, 1.00, is on 0"),
        (lambda all_h, s: all_h, "shape (6,)"),
    ],
)
def test_wrong_queries_are_named(answer, says):
    refuses(read.query, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (("abc", "abc"), "the same; they must differ"),
        (("abc", "abd"), "different letters"),
        (("aab", "abb"), "not equally often"),
        (("a", "b"), "at least two letters"),
        (((1, 2), (2, 1)), "at least two letters"),
        ("abc", "must be 2 values"),
    ],
)
def test_wrong_twins_are_named(answer, says):
    refuses(read.twins, answer, says=says)
