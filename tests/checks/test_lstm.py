"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import lstm
from attend.gating.lstm import LSTM, Gates


def right_step(i, f, g, o, c):
    new = f * c + i * g
    return o * torch.tanh(new), new


def right_gates(t):
    return float(t in (3, 30)), float(t != 30), float(t in (20, 40))


class Coupled(LSTM):
    def __init__(self, input_size, hidden_size):
        super().__init__(input_size, hidden_size)
        self.from_input = nn.Linear(input_size, 3 * hidden_size)
        self.from_hidden = nn.Linear(hidden_size, 3 * hidden_size, bias=False)

    def parts(self, x, state):
        h, c = state
        f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(3, dim=-1)
        return torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o), c

    def step(self, x, state):
        f, g, o, c = self.parts(x, state)
        c = f * c + (1 - f) * g
        return o * torch.tanh(c), c


class CoupledByGates(Coupled):
    step = LSTM.step

    def gates(self, x, state):
        f, g, o, _ = self.parts(x, state)
        return Gates(1 - f, f, g, o)


def test_solutions_and_stubs():
    accepts(lstm.step, right_step)
    accepts(lstm.two_items, right_gates)
    assert lstm.coupled(Coupled).state == "right"
    assert lstm.coupled(CoupledByGates).state == "right"
    assert lstm.coupled(...).state == "not yet"


def test_a_class_in_which_nothing_was_written_is_not_there_yet():
    class Stub(LSTM):
        def __init__(self, input_size, hidden_size):
            super().__init__(input_size, hidden_size)
            ...

        def gates(self, x, state): ...

    assert lstm.coupled(Stub).state == "not yet"


def test_other_right_answers_are_right():
    def in_numpy(i, f, g, o, c):
        i, f, g, o, c = (part.numpy() for part in (i, f, g, o, c))
        return o * np.tanh(f * c + i * g), f * c + i * g

    assert lstm.step(in_numpy).state == "right"
    assert lstm.step(lambda i, f, g, o, c: torch.stack(right_step(i, f, g, o, c))).state == "right"
    lazy = lstm.two_items(lambda t: (t in (3, 30), 0 if t < 3 or t == 30 else 1, t % 20 == 0))
    assert lazy.state == "right", lazy
    assert lstm.two_items(lambda t: torch.tensor(right_gates(t))).state == "right"
    for kind in (np.bool_, torch.tensor):
        assert lstm.two_items(lambda t, kind=kind: [kind(bool(gate)) for gate in right_gates(t)]).state == "right"


def like(cell=None, hidden=None):
    """A step with one mistake in it."""

    def step(i, f, g, o, c):
        new = f * c + i * g if cell is None else cell(i, f, g, o, c)
        return (o * torch.tanh(f * c + i * g) if hidden is None else hidden(o, f * c + i * g, c)), new

    return step


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda i, f, g, o, c: right_step(i, f, g, o, c)[::-1], "exchanged: the hidden state comes first"),
        (like(lambda i, f, g, o, c: i * c + f * g), "input and forget gate are exchanged"),
        (like(lambda i, f, g, o, c: i * g), "the old cell is missing"),
        (like(lambda i, f, g, o, c: f * c), "the candidate is missing"),
        (like(lambda i, f, g, o, c: f * c + (1 - f) * g), "a GRU's way"),
        (like(lambda i, f, g, o, c: torch.tanh(f * c + i * g)), "no tanh on the cell"),
        (like(lambda i, f, g, o, c: f * c + i * torch.tanh(g)), "its tanh already"),
        (like(lambda i, f, g, o, c: c), "f * c + i * g"),
        (like(hidden=lambda o, new, old: o * new), "missing its tanh"),
        (like(hidden=lambda o, new, old: torch.tanh(o * new)), "after the tanh"),
        (like(hidden=lambda o, new, old: o * torch.tanh(old)), "not the old one"),
        (like(hidden=lambda o, new, old: torch.tanh(new)), "output gate is missing"),
        (like(hidden=lambda o, new, old: new * 0), "h = o * tanh(c) is not"),
        (lambda i, f, g, o, c: f * c + i * g, "2 values"),
        (lambda *_: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_slips_of_the_step_are_named(answer, says):
    refuses(lstm.step, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda t: (1, 1, 1), "speaks at step 1"),
        (lambda t: (1, 1, t in (20, 40)), "which gate let something in"),
        (lambda t: (0, 1, t in (20, 40)), "is empty"),
        (lambda t: (t in (3, 30), 1, t in (20, 40)), "still there"),
        (lambda t: (t == 3, 1, t in (20, 40)), "second item"),
        (lambda t: (t in (3, 30), t != 30, 0), "open the output gate"),
        (lambda t: (t in (3, 30), t != 30, t == 20), "open the output gate"),
        (lambda t: (2.0, 1, 0), "between 0 and 1"),
        (lambda t: (1, 1), "3 values"),
        (lambda t: ("open", 1, 0), "must be a number"),
    ],
)
def test_slips_of_the_gates_are_named(answer, says):
    refuses(lstm.two_items, answer, says=says)


class FourBlocks(LSTM):
    def step(self, x, state):
        return state


class TwoBlocks(Coupled):
    def __init__(self, input_size, hidden_size):
        super().__init__(input_size, hidden_size)
        self.from_input = nn.Linear(input_size, 2 * hidden_size)


class WrongWay(Coupled):
    def step(self, x, state):
        f, g, o, c = self.parts(x, state)
        c = (1 - f) * c + f * g
        return o * torch.tanh(c), c


class Untied(Coupled):
    def step(self, x, state):
        f, g, o, c = self.parts(x, state)
        c = f * c + g
        return o * torch.tanh(c), c


class Exchanged(Coupled):
    def step(self, x, state):
        return super().step(x, state)[::-1]


class NoTanh(Coupled):
    def step(self, x, state):
        _, c = super().step(x, state)
        return c, c


class Renamed(Coupled):
    def __init__(self, input_size, hidden_size):
        super().__init__(input_size, hidden_size)
        self.W, self.from_input = self.from_input, None


class Breaks(Coupled):
    def step(self, x, state):
        raise RuntimeError("shapes do not match")


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (FourBlocks, "four blocks"),
        (TwoBlocks, "three blocks have"),
        (WrongWay, "the wrong way round"),
        (Untied, "nothing ties the two yet"),
        (Exchanged, "the hidden state comes first"),
        (NoTanh, "h = o * tanh(c) is not"),
        (Renamed, "from_input and from_hidden"),
        (Breaks, "shapes do not match"),
        (LSTM(2, 3), "the class itself"),
    ],
)
def test_slips_of_the_coupled_cell_are_named(answer, says):
    refuses(lstm.coupled, answer, says=says)
