"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import self_attention


def masked(scores, mask):
    return scores.masked_fill(~mask, -torch.inf)


def attend(x, query, key, value, mask):
    return masked((x @ query.T) @ (x @ key.T).T / len(query) ** 0.5, mask).softmax(1) @ (x @ value.T)


def table(x, query, key):
    return (x @ query.T) @ (x @ key.T).T / len(query) ** 0.5


def ask(one, other, share):
    way = one - other
    return math.log(share / (1 - share)) * len(one) ** 0.5 * way / (way @ way)


def loses_order(f, x, order):
    return torch.allclose(f(x[order]), f(x)[order], atol=1e-5)


def test_solutions():
    accepts(self_attention.write, attend)
    accepts(self_attention.ask, ask)
    accepts(self_attention.order, loses_order)


def test_any_query_at_a_right_angle_gives_a_half():
    def with_a_detour(one, other, share):
        way = one - other
        across = torch.ones_like(way) - way.sum() / (way @ way) * way
        return ask(one, other, share) + 3 * across

    accepts(self_attention.ask, with_a_detour)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda x, q, k, v, seen: table(x, q, k).softmax(1) @ (x @ v.T), "no effect yet"),
        (lambda x, q, k, v, seen: masked(table(x, q, k), ~seen).softmax(1) @ (x @ v.T), "True means may look"),
        (lambda x, q, k, v, seen: (table(x, q, k).softmax(1) * seen) @ (x @ v.T), "before the softmax"),
        (lambda x, q, k, v, seen: (table(x, q, k) * seen).softmax(1) @ (x @ v.T), "needs −∞"),
        (lambda x, q, k, v, seen: masked(x @ q.T @ k @ x.T, seen).softmax(1) @ (x @ v.T), "the root of the width"),
        (lambda x, q, k, v, seen: masked(x @ q.T @ k @ x.T / 2, seen).softmax(1) @ (x @ v.T), "the width of x"),
        (lambda x, q, k, v, seen: masked(x @ q.T @ k @ x.T / 3, seen).softmax(1) @ (x @ v.T), "the root, not by Q"),
        (lambda x, q, k, v, seen: masked(table(x, k, q), seen).softmax(1) @ (x @ v.T), "on its side"),
        (lambda x, q, k, v, seen: masked(table(x, q, k), seen).softmax(0) @ (x @ v.T), "along each row"),
        (lambda x, q, k, v, seen: masked(table(x, q, k), seen).softmax(1) @ x, "not of x itself"),
        (lambda x, q, k, v, seen: (table(x, q, k) + torch.inf * ~seen).softmax(1) @ (x @ v.T), "0 times infinity"),
        (lambda x, q, k, v, seen: table(x, q, k).softmax(1), "of shape (5, 4)"),
        (lambda x, q, k, v, seen: x @ v.T, "the first summary is"),
        (lambda x, q, k, v, seen: x @ k, "stopped with RuntimeError"),
    ],
)
def test_wrong_attention_is_named(answer, says):
    refuses(self_attention.write, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda one, other, share: ask(other, one, share), "the weight that `one` should have"),
        (lambda one, other, share: ask(one, other, share) / len(one) ** 0.5, "√d times as long"),
        (lambda one, other, share: ask(one, other, share) * len(one) ** 0.5, "√d times too long"),
        (lambda one, other, share: ask(one, other, share) * (one - other).norm(), "one length for the direction"),
        (lambda one, other, share: ask(one, other, share) * (one - other).square().sum(), "divide by the squared"),
        (lambda one, other, share: share * (one - other), "share is a weight"),
        (lambda one, other, share: one, "must get 0.9"),
        (lambda one, other, share: share, "of shape (4,)"),
    ],
)
def test_wrong_queries_are_named(answer, says):
    refuses(self_attention.ask, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda f, x, order: torch.allclose(f(x[order]), f(x), atol=1e-5), "the summaries are shuffled too"),
        (lambda f, x, order: torch.allclose(f(x[order])[order], f(x), atol=1e-5), "the summaries are shuffled too"),
        (lambda f, x, order: True, "and your test says that it does"),
        (lambda f, x, order: False, "self-attention loses the order"),
        (lambda f, x, order: f(x[order]) == f(x)[order], "must be True or False"),
    ],
)
def test_wrong_tests_of_order_are_named(answer, says):
    refuses(self_attention.order, answer, says=says)
