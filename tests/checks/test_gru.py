"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import math

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gru


def half(steps):
    keep = 0.5 ** (1 / steps)
    return math.log(keep / (1 - keep))


SLUICE = ((0.0, -20.0), 10.0, (3.0, 0.0), 0.0)


def turned(W, U, b, rows=1, parts="WUb"):
    made = {name: part.clone() for name, part in zip("WUb", (W, U, b), strict=True)}
    for name in parts:
        made[name].chunk(3)[rows].neg_()
    return tuple(made.values())


def cell(x, h, W, U, b, swap=False, before=False, takes=False, squash=torch.tanh, kept=1.0):
    (x_r, x_z, x_n), (h_r, h_z, h_n) = (x @ W.T + b).chunk(3, dim=1), (h @ U.T).chunk(3, dim=1)
    r, z = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
    r, z = (z, r) if swap else (r, z)
    said = (r * h) @ U.chunk(3)[2].T if before else r * h_n
    n = squash(x_n + said)
    return (1 - z) * h + z * n if takes else kept * z * h + (1 - z) * n


def test_solutions_and_stubs():
    accepts(gru.bias, half)
    accepts(gru.sluice, *SLUICE)
    accepts(gru.convert, turned)
    accepts(gru.cell, cell)
    assert gru.sluice(*SLUICE[:3], ...).state == "not yet"


def test_other_right_answers_are_right():
    assert gru.bias(lambda steps: np.float32(half(steps))).state == "right"
    assert gru.bias(lambda steps: torch.tensor(half(steps))).state == "right"
    assert gru.bias(lambda steps: -math.log(2 ** (1 / steps) - 1)).state == "right"
    assert gru.sluice(torch.tensor([0.0, -30.0]), 12, [5, 0], 0).state == "right"
    assert gru.sluice(np.array([0, -20]), np.float32(10), (3, 0), torch.tensor(0.0)).state == "right"
    assert gru.convert(lambda *given: [part.numpy() for part in turned(*given)]).state == "right"
    assert gru.cell(lambda *given: cell(*given).double()).state == "right"
    assert gru.cell(lambda *given: cell(*given).numpy()).state == "right"
    assert gru.cell(lambda *given: cell(*given).tolist()).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda steps: 0.5 ** (1 / steps), "the gate's value"),
        (lambda steps: -half(steps), "Which sign"),
        (lambda steps: math.log(0.5) / steps, "logarithm of z"),
        (lambda steps: math.log(steps - 1), "1/e is left"),
        (lambda steps: math.log(2 * steps - 1), "geometrically"),
        (lambda steps: math.log(steps / math.log(2) - 1), "close for long times"),
        (lambda steps: 2.0, "must stand at"),
        (lambda steps: "much", "must be a number"),
    ],
)
def test_wrong_biases_are_named(answer, says):
    refuses(gru.bias, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (((0, 20), -10, (3, 0), 0), "at a mark the gate must let it in"),
        (((0, -20), 10, (-3, 0), 0), "wrong sign"),
        (((0, -8), 4, (3, 0), 0), "without a mark the gate must keep"),
        (((0, -20), 10, (0.2, 0), 0), "at a mark the gate must let it in"),
        ((3.0, 10, (3, 0), 0), "two weights"),
        (((0, -20, 1), 10, (3, 0), 0), "2 values"),
    ],
)
def test_wrong_sluices_are_named(answer, says):
    refuses(gru.sluice, *answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda W, U, b: (W, U, b), "nothing has changed"),
        (lambda *given: turned(*given, rows=0), "first block is the reset"),
        (lambda *given: turned(*given, rows=2), "last block is the candidate"),
        (lambda W, U, b: (-W, -U, -b), "only the update gate changes"),
        (lambda *given: turned(*given, parts="WU"), "bias belongs to z"),
        (lambda *given: turned(*given, parts="Wb"), "U belongs to z"),
        (lambda *given: turned(*given, parts="Ub"), "W belongs to z"),
        (lambda *given: turned(*given, parts="b"), "the bias alone"),
        (lambda W, U, b: (1 - W, 1 - U, 1 - b), "something else"),
        (lambda W, U, b: (W[:2], U, b), "W must be a tensor of shape"),
        (lambda W, U, b: W, "3 values"),
    ],
)
def test_wrong_conversions_are_named(answer, says):
    refuses(gru.convert, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: cell(*given, takes=True), "z = 1 must keep"),
        (lambda *given: cell(*given, swap=True), "first two are exchanged"),
        (lambda *given: cell(*given, before=True), "published paper"),
        (lambda *given: cell(*given, squash=lambda a: a), "lacks its tanh"),
        (lambda *given: cell(*given, kept=0.0), "z * h is missing"),
        (lambda x, h, W, U, b: cell(x, h, W, U, 0 * b), "bias b is missing"),
        (lambda x, h, W, U, b: cell(x, h, W, U, 2 * b), "b is added twice"),
        (lambda x, h, W, U, b: h, "one by one"),
        (lambda *given: cell(*given)[0], "tensor of shape"),
        (lambda x, h, W, U, b: x @ W, "RuntimeError"),
    ],
)
def test_wrong_cells_are_named(answer, says):
    refuses(gru.cell, answer, says=says)
    refuses(gru.adding, answer, says=says)


def test_a_cell_is_trained_and_its_result_is_said(monkeypatch):
    monkeypatch.setattr(gru, "STEPS", 2)
    monkeypatch.setattr(gru, "T", 5)
    refuses(gru.adding, cell, says="after 2 steps")
    refuses(gru.adding, lambda *given: cell(*given).detach(), says="no gradient")
    refuses(gru.adding, lambda *given: cell(*given).tolist(), says="no gradient")
    monkeypatch.setattr(gru.task, "explained", lambda *_: 0.97)
    accepts(gru.adding, cell)
