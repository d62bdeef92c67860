"""Each checker knows the solution, unusual right answers, the typical wrong ones and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gates


def write(locker, thing, M):
    mine = torch.nn.functional.one_hot(torch.tensor(locker), M)
    return 1 - mine, thing * mine


def in_lists(locker, thing, M):
    return [float(m != locker) for m in range(M)], [thing] * M


def in_numpy(locker, thing, M):
    return np.arange(M) != locker, np.full(M, thing)


def with_one_thing(locker, thing, M):
    return write(locker, thing, M)[0], thing


def step(state, q, k, v):
    S, n = (torch.zeros(len(q), len(v)), torch.zeros(len(q))) if state is None else state
    S, n = S + torch.outer(k, v), n + k
    return q @ S / (q @ n), (S, n)


def in_one_matrix(state, q, k, v):
    new = np.outer(k.numpy(), [*v.tolist(), 1.0])
    state = new if state is None else state + new
    both = q.numpy() @ state
    return both[:-1] / both[-1], state


def test_solutions():
    accepts(gates.left, (0.478, 0.081))
    accepts(gates.left, torch.tensor([0.9**7, 0.1 * 0.9**2], dtype=torch.float64))
    accepts(gates.wishes, (0.5, 0, 1, 1, 0.5, 1, 1, 1))
    accepts(gates.wishes, np.array([1, 0, 1, 1, 0.5, 1, 1, 0.3]))
    accepts(gates.wishes, (True, False, True, True, 0.5, True, True, True))
    for right in (write, in_lists, in_numpy, with_one_thing):
        accepts(gates.locker, right)
    for right in (step, in_one_matrix):
        accepts(gates.running, right)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0.081, 0.478), "comes first"),
        ((0.9**8, 0.081), "count the gates again"),
        ((0.5, 0.081), "written whole"),
        ((0.478, 0.81), "own gate let in"),
        ((0.478, 0.1), "two more gates"),
        ((0.478, 0.3), "candidate 3 is right"),
        ((0.478,), "must be 2 values"),
    ],
)
def test_wrong_weights_are_named(answer, says):
    refuses(gates.left, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((0, 0, 1, 1, 1, 1, 1, 1), "lost to candidate 5"),
        ((0, 0.9, 1, 1, 0.5, 1, 1, 1), "lets in only"),
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
        (lambda m, thing, M: (write(m, 1, M)[1], thing * write(m, 1, M)[1]), "does not get in"),
        (lambda m, thing, M: (torch.zeros(M), thing * write(m, 1, M)[1]), "must keep all of it"),
        (lambda m, thing, M: (torch.ones(M), thing * torch.ones(M)), "does not get in"),
        (lambda m, thing, M: (1 - write(m, 1, M)[1] / 2, thing * write(m, 1, M)[1]), "unit m must hold"),
        (lambda m, thing, M: (2 * torch.ones(M), torch.ones(M)), "between 0 and 1"),
        (lambda m, thing, M: write(m, thing, M)[0], "must be 2 values"),
        (lambda m, thing, M: write(m, thing, M + 1), "shape"),
    ],
)
def test_wrong_lockers_are_named(answer, says):
    refuses(gates.locker, answer, says=says)


def without_sum(state, q, k, v):
    state = torch.outer(k, v) + (0 if state is None else state)
    return q @ state, state


def grows(state, q, k, v):
    state = [*(state or []), (k, v)]
    scores = torch.stack([q @ key for key, _ in state])
    return scores @ torch.stack([value for _, value in state]) / scores.sum(), state


def softmax(state, q, k, v):
    state = [*(state or []), (k, v)]
    scores = torch.stack([q @ key for key, _ in state])
    return scores.softmax(0) @ torch.stack([value for _, value in state]), state


def late(state, q, k, v):
    S, n = (torch.zeros(len(q), len(v)), torch.full((len(q),), 1e-9)) if state is None else state
    return q @ S / (q @ n), (S + torch.outer(k, v), n + k)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (without_sum, "divide by q · n"),
        (grows, "grows with every step"),
        (softmax, "this is a softmax"),
        (late, "update the state before"),
        (lambda state, q, k, v: (v, 0), "only the newest step"),
        (lambda state, q, k, v: (2 * v, 0), "yours is something else"),
        (lambda state, q, k, v: v, "must be 2 values"),
        (lambda state, q, k, v: (q[:1], 0), "shape"),
    ],
)
def test_wrong_steps_are_named(answer, says):
    refuses(gates.running, answer, says=says)
