"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import heads
from attend.transformers.positions import frequencies, shift_matrix


def both(context, share):
    one = int(context.argmax())
    if context[one] > 0.99:
        return one, one
    rest = context.clone()
    rest[one] = 0
    return one, int(rest.argmax())


def product(away, D):
    return (away * frequencies(D)).cos().sum().item()


def test_solutions():
    accepts(heads.untangle, both)
    accepts(heads.distance, product)
    accepts(heads.back, lambda by, D: 60 * shift_matrix(-by, D))


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda c, share: tuple(c.topk(2).indices.tolist()), "the same letter"),
        (lambda c, share: both(c, share)[::-1], "the larger share comes first"),
        (lambda c, share: (0, 0), "for letters 2 and 5"),
        (lambda c, share: int(c.argmax()), "must be 2 values"),
        (lambda c, share: (c, c), "a letter must be a number"),
    ],
)
def test_wrong_readings_are_named(answer, says):
    refuses(heads.untangle, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda away, D: product(away, D) / (D / 2), "a share of the most"),
        (lambda away, D: 2 * product(away, D), "every wave twice"),
        (lambda away, D: (away * frequencies(D)).sin().sum(), "these are the sines"),
        (lambda away, D: ((away * frequencies(D)).sin() + (away * frequencies(D)).cos()).sum(), "of the other"),
        (lambda away, D: math.cos(away) if away else D / 2, "not the fastest one alone"),
        (lambda away, D: D / 2 - abs(away) / 10, "for two places 3 apart"),
        (lambda away, D: "near", "a product must be a number"),
    ],
)
def test_wrong_products_are_named(answer, says):
    refuses(heads.distance, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda by, D: 60 * shift_matrix(by, D), "looks 1 ahead"),
        (lambda by, D: 60 * torch.eye(D), "its own place"),
        (lambda by, D: shift_matrix(-by, D), "too flat"),
        (lambda by, D: torch.zeros(D, D), "the place 1 back gets"),
        (lambda by, D: torch.eye(3), "a tensor of shape (32, 32)"),
    ],
)
def test_wrong_turns_are_named(answer, says):
    refuses(heads.back, answer, says=says)
