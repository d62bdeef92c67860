"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

from fractions import Fraction

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import clockwork
from attend.fast import fast
from attend.memory.clockwork import Clockwork


def ok_products(periods):
    return sum((len(periods) - i) / P for i, P in enumerate(periods))


class Own(nn.Module):
    """The printed solution, with places to break it."""

    act = staticmethod(torch.tanh)

    def __init__(self, input_size, module_size, periods):
        super().__init__()
        H = module_size * len(periods)
        self.period = torch.tensor(periods).repeat_interleave(module_size)
        self.W, self.U = nn.Linear(input_size, H), nn.Linear(H, H, bias=False)
        self.hears = self.wires()

    def wires(self):
        return self.period[None, :] >= self.period[:, None]

    def ticks(self, t):
        return t % self.period == 0

    def kept(self, h):
        return h

    def forward(self, x):
        h, states = x.new_zeros(len(x), len(self.period)), []
        for t in range(x.shape[1]):
            new = self.act(self.W(x[:, t]) + h @ (self.U.weight * self.hears).T)
            h = torch.where(self.ticks(t), new, self.kept(h))
            states.append(h)
        return torch.stack(states, dim=1)


def broken(**how):
    return type("Broken", (Own,), how)


def test_solutions_and_stubs():
    accepts(clockwork.products, ok_products)
    accepts(clockwork.compare, [1.0, 1.0], [[0.0, -1.0], [0.0, 0.0]])
    assert clockwork.build(...).state == "not yet"
    assert clockwork.build(lambda *_: None).state == "not yet"


def test_other_right_answers_are_right():
    for kind in (np.float32, torch.tensor, Fraction, np.array):
        answer = clockwork.products(lambda periods, kind=kind: kind(ok_products(periods)))
        assert answer.state == "right", (kind, answer)
    for W, U in (
        (torch.tensor([1, 2]), torch.tensor([[0, -0.5], [0, 0]])),
        (np.array([1.0, 0.5]), [[0, -2], [0, 0]]),
        ((1, -1), ((0, 1), (0, 0))),
    ):
        assert clockwork.compare(W, U).state == "right", (W, U)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda ps: len(ps) ** 2, "the whole matrix"),
        (lambda ps: len(ps) * (len(ps) + 1) / 2, "a row costs nothing while"),
        (lambda ps: sum(1 / P for P in ps), "counts rows"),
        (lambda ps: len(ps) * sum(1 / P for P in ps), "the triangle is not"),
        (lambda ps: sum((i + 1) / P for i, P in enumerate(ps)), "upside down"),
        (lambda ps: ok_products(ps) / len(ps) ** 2, "a share"),
        (lambda ps: sum((len(ps) - i - 1) / P for i, P in enumerate(ps)), "hears itself"),
        (lambda ps: 6.125, "how often it is needed"),
        (lambda ps: "six", "must be a number"),
        (lambda ps: ps.sum(), "stopped with AttributeError"),
    ],
)
def test_wrong_counts_are_named(answer, says):
    refuses(clockwork.products, answer, says=says)


@pytest.mark.parametrize(
    ("W", "U", "says"),
    [
        ([1, 1], [[0, 0], [0, 0]], "compares it with nothing"),
        ([1, 1], [[0, 1], [0, 0]], "taken away"),
        ([-1, 1], [[0, 1], [0, 0]], "turned round"),
        ([0, 1], [[0, 1], [0, 0]], "the sample alone"),
        ([1, 0], [[0, -1], [0, 1]], "compares it with nothing"),
        ([1, 1], [[1, -1], [0, 0]], "its own past"),
        ([1, 1], [[0, -1], [0, 1]], "mixes the new sample"),
        ([1, 1], [[0, -1], [-1, 0]], "lower left"),
        ([1, 1], [[0, -0.5], [0, 0]], "0.01 is asked for"),
        ([1, 1, 1], [[0, -1], [0, 0]], "shape (2,)"),
    ],
)
def test_wrong_weights_are_named(W, U, says):
    refuses(clockwork.compare, W, U, says=says)


@pytest.mark.parametrize("make", [Own, lambda *sizes: fast(Clockwork(*sizes))])
def test_the_clocks_and_wires_of_a_right_network_are_right(make, monkeypatch):
    monkeypatch.setattr(clockwork, "_trained", lambda model: 0.1)
    accepts_the_class = clockwork.build(make)
    assert accepts_the_class.state == "right", accepts_the_class


@pytest.mark.nightly  # it trains for five seconds
def test_a_network_of_ones_own_is_trained():
    assert clockwork.build(Own).state == "right"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (broken(ticks=lambda self, t: torch.ones(len(self.period), dtype=torch.bool)), "between its ticks"),
        (broken(ticks=lambda self, t: (t + 1) % self.period == 0), "at step 0 every clock ticks"),
        (broken(kept=lambda self, h: 0 * h), "between its ticks"),
        (broken(kept=lambda self, h: 0.99 * h), "between its ticks"),
        (broken(wires=lambda self: self.period[None, :] <= self.period[:, None]), "the slow module hears the fast one"),
        (broken(wires=lambda self: torch.ones(2 * [len(self.period)])), "the slow module hears the fast one"),
        (broken(wires=lambda self: self.period[None, :] == self.period[:, None]), "fast module does not hear the slow"),
        (broken(wires=lambda self: self.period[None, :] > self.period[:, None]), "what it held itself"),
        (broken(act=staticmethod(lambda total: total)), "is there a tanh"),
        (lambda D, size, periods: Own(D, size, periods[::-1]), "the wrong way round"),
        (lambda D, size, periods: nn.RNN(D, size * len(periods), batch_first=True), "between its ticks"),
        (lambda D, size, periods: Own(D, 1, periods), "tensor of shape"),
        (lambda D, size, periods: Own(D + 1, size, periods), "stopped at an input"),
        (lambda D, size, periods: 7, "nn.Module"),
    ],
)
def test_wrong_networks_are_named(make, says):
    refuses(clockwork.build, make, says=says)
