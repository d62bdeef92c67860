"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import elman


def right_update(W, U, b, x, h):
    return torch.tanh(W @ x + U @ h + b)


@pytest.mark.parametrize(
    ("check", "answers"),
    [(elman.update, [right_update]), (elman.inert, [[2.0, 1.0]]), (elman.latch, [4.0, 2.0, 0.0])],
)
def test_solution_and_stub(check, answers):
    accepts(check, *answers)


def test_other_right_answers_are_right():
    assert elman.inert(torch.tensor([-1.0, -0.5])).state == "right"
    assert elman.latch(10, 3, 0.1).state == "right"
    assert elman.latch(-4.0, 2.0, 0.0).state == "wrong"
    assert elman.update(lambda *_: None).state == "not yet"


@pytest.mark.parametrize(
    ("check", "answers", "says"),
    [
        (elman.update, [lambda W, U, b, x, h: W @ x + U @ h + b], "without the squash"),
        (elman.update, [lambda W, U, b, x, h: torch.sigmoid(W @ x + U @ h + b)], "no summary below 0"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(W @ x + U @ h)], "bias b is missing"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(W @ x + b)], "no memory"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(U @ h + b)], "W x is missing"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(W @ h + U @ x + b)], "exchanged"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(W @ x) + torch.tanh(U @ h + b)], "squash once"),
        (elman.update, [lambda W, U, b, x, h: torch.tanh(x @ W + h @ U + b)], "from the left"),
        (elman.update, [lambda W, U, b, x, h: h], "expected (0.92"),
        (elman.update, [lambda W, U, b, x, h: W], "shape (2,), got (2, 2)"),
        (elman.update, [lambda W, U, b, x, h: W @ x[:1]], "stopped with RuntimeError"),
        (elman.update, [lambda W, U, b, x, h: "h"], "a tensor of shape (2,)"),
        (elman.inert, [[0.0, 0.0]], "does not move"),
        (elman.inert, [[1.0, 2.0]], "pushes every summary"),
        (elman.inert, [[1.0]], "shape (2,), got (1,)"),
        (elman.inert, [[1.0, float("nan")]], "with finite numbers"),
        (elman.latch, [4.0, 0.9, 0.0], "has faded"),
        (elman.latch, [4.0, 1.05, 0.0], "has faded"),
        (elman.latch, [1.0, 2.0, 0.0], "turn the summary over"),
        (elman.latch, [4.0, -2.0, 0.0], "negative u"),
        (elman.latch, [6.0, 2.0, 1.0], "the bias prefers"),
        (elman.latch, ["4", 2.0, 0.0], "w must be a number"),
    ],
)
def test_wrong_answers_are_named(check, answers, says):
    refuses(check, *answers, says=says)
