"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import directions
from attend.gating.bidirectional import Bidirectional
from attend.gating.lstm import LSTM


def test_the_last_step():
    accepts(directions.ends, (9, 1))
    for answer in ([9.0, np.int64(1)], torch.tensor([9, 1]), np.array([9, 1]), {"ahead": 9, "back": 1}.values()):
        assert directions.ends(answer).state == "right"
    for answer, says in [
        ((9, 9), "*begins*"),
        ((1, 9), "exchanged"),
        ((9, 0), "after its own input"),
        ((8, 1), "first half again"),
        ((9, 2), "second half again"),
        (9, "2 values"),
        ((9, 1.5), "whole number"),
    ]:
        refuses(directions.ends, answer, says=says)


def chunked(ahead, back, x, size, extra):
    halves = [back(x[:, t : t + size + extra].flip(1))[0].flip(1)[:, :size] for t in range(0, x.shape[1], size)]
    return torch.cat([ahead(x)[0], torch.cat(halves, dim=1)[:, : x.shape[1]]], dim=2)


def in_place(ahead, back, x, size, extra):
    """Filled in step by step, as doubles, without a flip."""
    out = np.zeros((len(x), x.shape[1], 9))
    out[:, :, :5] = ahead(x)[0].numpy()
    for t in range(0, x.shape[1], size):
        h = torch.zeros(len(x), 4)
        for s in reversed(range(t, min(t + size + extra, x.shape[1]))):
            h = back.step(x[:, s], h)
            if s < t + size:
                out[:, s, 5:] = h.numpy()
    return out


def whole_row(ahead, back, x, size, extra):
    return torch.cat([ahead(x)[0], back(x.flip(1))[0].flip(1)], dim=2)


def anew(ahead, back, x, size, extra):
    first = torch.cat([ahead(part)[0] for part in x.split(size, dim=1)], dim=1)
    return torch.cat([first, chunked(ahead, back, x, size, extra)[..., 5:]], dim=2)


def unturned(ahead, back, x, size, extra):
    T = x.shape[1]
    halves = [back(x[:, t : t + size + extra].flip(1))[0][:, : min(size, T - t)] for t in range(0, T, size)]
    return torch.cat([ahead(x)[0], torch.cat(halves, dim=1)], dim=2)


def test_chunks():
    accepts(directions.chunked, chunked)
    assert directions.chunked(in_place).state == "right"
    assert directions.chunked(lambda a, b, x, s, e: chunked(a, b, x, s, e).double()).state == "right"
    for answer, says in [
        (whole_row, "wait for the end"),
        (lambda a, b, x, s, e: chunked(a, b, x, s, 0), "`extra` steps behind"),
        (anew, "may go on"),
        (unturned, "turned back"),
        (lambda a, b, x, s, e: chunked(a, b, x, s, e)[..., [5, 6, 7, 8, 0, 1, 2, 3, 4]], "exchanged"),
        (lambda a, b, x, s, e: chunked(a, b, x, s, e + 1), "the second layer"),
        (lambda a, b, x, s, e: chunked(a, b, -x, s, e), "the first layer"),
        (lambda a, b, x, s, e: a(x)[0], "shape"),
        (lambda a, b, x, s, e: x @ x, "stopped with RuntimeError"),
    ]:
        refuses(directions.chunked, answer, says=says)


def right(rows, columns):
    return [[(r, d - r) for r in range(rows) if 0 <= d - r < columns] for d in range(rows + columns - 1)]


def every(rows, columns):
    return [(r, c) for r in range(rows) for c in range(columns)]


def test_steps():
    accepts(directions.steps, right)
    for other in (
        lambda Y, X: [np.array(step) for step in right(Y, X)],
        lambda Y, X: [torch.tensor(step) for step in right(Y, X)],
        lambda Y, X: [{(r, c) for r, c in step} for step in right(Y, X)],
        lambda Y, X: dict(enumerate(right(Y, X))),
        lambda Y, X: (iter(step[::-1]) for step in right(Y, X)),
        lambda Y, X: [*right(Y, X), []],
        lambda Y, X: [[[float(r), float(c)] for r, c in step] for step in right(Y, X)],
    ):
        outcome = directions.steps(other)
        assert outcome.state == "right", outcome


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda Y, X: [[(r, c) for c in range(X)] for r in range(Y)], "shares step 1 with the pixel to the left"),
        (lambda Y, X: [[(r, c) for r in range(Y)] for c in range(X)], "shares step 1 with the pixel above"),
        (lambda Y, X: [[pixel] for pixel in every(Y, X)], "4 steps, and 3 are enough"),
        (lambda Y, X: right(Y, X)[::-1], "before the pixel to the left"),
        (lambda Y, X: [[(r, c) for r, c in every(Y, X) if r - c == d] for d in range(1 - X, Y)], "before"),
        (lambda Y, X: right(Y, X)[:-1], "pixel (1, 1) never has its turn"),
        (lambda Y, X: right(X, Y), "outside of the image"),
        (lambda Y, X: [[(r, d - r) for r in range(Y)] for d in range(Y + X - 1)], "outside of the image"),
        (lambda Y, X: [*right(Y, X), [(0, 0)]], "twice"),
        (lambda Y, X: right(Y, X) and 3, "expected a list of steps"),
        (lambda Y, X: every(Y, X), "one pixel, or numbers"),
        (lambda Y, X: 1 / 0, "stopped with ZeroDivisionError"),
    ],
)
def test_steps_wrong(answer, says):
    refuses(directions.steps, answer, says=says)


class BothWays(nn.Module):
    def __init__(self, D, H):
        super().__init__()
        self.ahead, self.back = nn.LSTM(D, H, batch_first=True), nn.LSTM(D, H, batch_first=True)

    def forward(self, x, mask):
        t = torch.arange(x.shape[1])
        turned, row = torch.where(mask, mask.sum(1, keepdim=True) - 1 - t, t), torch.arange(len(x))[:, None]
        return torch.cat([self.ahead(x)[0], self.back(x[row, turned])[0][row, turned]], dim=2)


class Torch(nn.Module):
    def __init__(self, D, H, packed=True):
        super().__init__()
        self.lstm, self.packed = nn.LSTM(D, H, batch_first=True, bidirectional=True), packed

    def forward(self, x, mask):
        if not self.packed:
            return self.lstm(x)
        x = nn.utils.rnn.pack_padded_sequence(x, mask.sum(1), batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.lstm(x)[0], batch_first=True)[0]


class Twice(BothWays):
    def forward(self, x, mask):
        return torch.cat([self.ahead(x)[0]] * 2, dim=2)


class Mixed(BothWays):
    def forward(self, x, mask):
        return super().forward(x, mask) + x.mean()


def test_own_layer(monkeypatch):
    monkeypatch.setattr(directions, "_trained", lambda model: (0.99, 0.98))
    for make in (BothWays, Torch, lambda D, H: Bidirectional(LSTM(D, H), LSTM(D, H))):
        outcome = directions.build(make)
        assert outcome.state == "right", outcome
    for nothing in (..., None, lambda D, H: ..., lambda D, H: None):
        assert directions.build(nothing).state == "not yet"
    for make, says in [
        (lambda D, H: Torch(D, H, packed=False), "padding"),
        (Twice, "does not hear later inputs"),
        (Mixed, "padding"),
        (lambda D, H: nn.Identity(), "weights to train"),
        (lambda D, H: nn.LSTM(D, H, batch_first=True), "stopped"),
        (lambda D, H: BothWays(D, 2 * H), "shape"),
    ]:
        refuses(directions.build, make, says=says)
    monkeypatch.setattr(directions, "_trained", lambda model: (0.99, 0.36))
    refuses(directions.build, BothWays, says="36.0% of the columns")


def test_own_layer_trains(monkeypatch):
    monkeypatch.setattr(directions, "STEPS", 10)
    refuses(directions.build, BothWays, says="after 10 steps")


# What follows belongs to the page on trees.


def ok_kept(x, h, cells, W, U, b):
    forget = torch.sigmoid(W @ x + h @ U.T + b)
    return (forget * cells).sum(0)


def gate(x, h, W, U, b):
    return torch.sigmoid(W @ x + h @ U.T + b)


@pytest.mark.parametrize(("check", "answer"), [(directions.kept, ok_kept)])
def test_solution_and_stub(check, answer):
    assert check(answer).state == "right"
    assert check(lambda *_: ...).state == "not yet"
    assert check(lambda *_: None).state == "not yet"
    assert check(...).state == "not yet"


def kept_in_place(x, h, cells, W, U, b):
    h.copy_(h @ U.T + W @ x + b).sigmoid_()
    return cells.mul_(h).sum(0)


@pytest.mark.parametrize(
    "answer", [kept_in_place, lambda *given: ok_kept(*given).numpy(), lambda *given: ok_kept(*given).double()]
)
def test_right_in_place_or_in_another_kind_of_numbers(answer):
    assert directions.kept(answer).state == "right"


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (
            directions.kept,
            lambda x, h, c, W, U, b: torch.sigmoid(W @ x + U @ h.sum(0) + b) * c.sum(0),
            "one gate for all",
        ),
        (directions.kept, lambda x, h, c, W, U, b: (gate(x, h, W, U, b) * c).mean(0), "not averaged"),
        (directions.kept, lambda x, h, c, W, U, b: gate(x, h, W, U, b).sum(0) * c.sum(0), "multiply before you add"),
        (directions.kept, lambda x, h, c, W, U, b: gate(x, h, W, U, b).mean(0) * c.sum(0), "keeps all children alike"),
        (directions.kept, lambda x, h, c, W, U, b: ((W @ x + h @ U.T + b) * c).sum(0), "σ is missing"),
        (directions.kept, lambda x, h, c, W, U, b: (torch.sigmoid(h @ U.T + b) * c).sum(0), "W x is missing"),
        (directions.kept, lambda x, h, c, W, U, b: (torch.sigmoid(W @ x + b) * c).sum(0), "U h is missing"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U, b * 0), "bias b is missing"),
        (directions.kept, lambda x, h, c, W, U, b: ((W @ x + h @ U.T + b).tanh() * c).sum(0), "not tanh"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, h, W, U, b), "not its summary"),
        (directions.kept, lambda x, h, c, W, U, b: (gate(x, h, W, U.T, b) * c).sum(0), "turns the matrix around"),
        (directions.kept, lambda x, h, c, W, U, b: c[0], "the sum over the children"),
        (directions.kept, lambda x, h, c, W, U, b: c, "got (3, 4)"),
        (directions.kept, lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U, b) if len(h) > 1 else c[0], "single child"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    outcome = check(answer)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says
