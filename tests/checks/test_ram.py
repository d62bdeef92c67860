"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import ram


def later(right):
    return right.flip(0).cumsum(0).flip(0)


def ok_paid(right):
    return later(right) / torch.arange(len(right), 0, -1)


def ok_steered(mean, place, advantage, sigma):
    return (advantage[:, None] * (place - mean) / sigma**2).mean(dim=0)


def ok_seen(T, width):
    return min(1, T * 48**2 / width**2)


def after_only(right):
    own = [right[t + 1 :].mean() if t + 1 < len(right) else torch.tensor(0.0) for t in range(len(right))]
    return torch.stack(own)


@pytest.mark.parametrize(("check", "answer"), [(ram.paid, ok_paid), (ram.steered, ok_steered), (ram.seen, ok_seen)])
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (ram.paid, lambda r: r.cumsum(0) / torch.arange(1, len(r) + 1), "were over"),
        (ram.paid, later, "that is the sum"),
        (ram.paid, lambda r: later(r) / len(r), "its own number of glimpses"),
        (ram.paid, lambda r: r, "own glimpse alone"),
        (ram.paid, lambda r: r.mean().expand(len(r)), "every place the same"),
        (ram.paid, after_only, "its own glimpse, too"),
        (ram.paid, torch.zeros_like, "the first of 4 places"),
        (ram.steered, lambda m, p, a, s: -ok_steered(m, p, a, s), "reward fall"),
        (ram.steered, lambda m, p, a, s: 4 * ok_steered(m, p, a, s), "take the mean"),
        (ram.steered, lambda m, p, a, s: s * ok_steered(m, p, a, s), "not σ"),
        (ram.steered, lambda m, p, a, s: s**2 * ok_steered(m, p, a, s), "divide by σ²"),
        (ram.steered, lambda m, p, a, s: ((p - m) / s**2).mean(0), "by its advantage"),
        (ram.steered, lambda m, p, a, s: a.mean() * ((p - m) / s**2).mean(0), "belong together"),
        (ram.steered, lambda m, p, a, s: torch.zeros(2), "should move by"),
        (ram.seen, lambda T, w: T * 144 / w**2, "finest crop"),
        (ram.seen, lambda T, w: 3 * T * 48**2 / w**2, "on top of each other"),
        (ram.seen, lambda T, w: T * 432 / w**2, "not the numbers"),
        (ram.seen, lambda T, w: T * 48**2 / w**2, "no more than the whole"),
        (ram.seen, lambda T, w: min(1, T * 36**2 / w**2), "12, 24, 48"),
        (ram.seen, lambda T, w: min(1, 48**2 / w**2), "for one glimpse"),
        (ram.seen, lambda T, w: 0.5, "got 0.5000"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
