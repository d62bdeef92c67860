"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import lstm


def right_step(i, f, g, o, c):
    new = f * c + i * g
    return new, o * torch.tanh(new)


def right_width(weights, D):
    H = 1
    while weights >= 4 * (H + 1) * (D + H + 2):
        H += 1
    return H


def right_schedule(t):
    return float(t == 3), 1.0, float(t == 40)


@pytest.mark.parametrize(
    ("check", "answer"), [(lstm.step, right_step), (lstm.width, right_width), (lstm.carry, right_schedule)]
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


def test_other_right_answers_are_right():
    assert lstm.carry(lambda t: (t == 3 and 1, 0 if t < 4 and t != 3 else 1, t // 40)).state == "right"
    assert lstm.width(lambda weights, D: torch.tensor(right_width(weights, D))).state == "right"


def like(cell=None, shown=None):
    """A step with one mistake in it."""

    def stepped(i, f, g, o, c):
        new = f * c + i * g
        return (new if cell is None else cell(i, f, g, o, c)), (
            o * torch.tanh(new) if shown is None else shown(o, new, c)
        )

    return stepped


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda i, f, g, o, c: right_step(i, f, g, o, c)[::-1], "exchanged: the cell comes first"),
        (like(lambda i, f, g, o, c: i * c + f * g), "i and f are exchanged"),
        (like(lambda i, f, g, o, c: i * g), "f * c"),
        (like(lambda i, f, g, o, c: f * c), "i * g"),
        (like(lambda i, f, g, o, c: f * c + (1 - f) * g), "a GRU's way"),
        (like(lambda i, f, g, o, c: torch.tanh(f * c + i * g)), "not squashed"),
        (like(lambda i, f, g, o, c: f * c + i * torch.tanh(g)), "squashed already"),
        (like(lambda i, f, g, o, c: c), "expected (1.54"),
        (like(shown=lambda o, new, c: o * new), "without bound"),
        (like(shown=lambda o, new, c: torch.tanh(o * new)), "after the squash"),
        (like(shown=lambda o, new, c: o * torch.tanh(c)), "not the old one"),
        (like(shown=lambda o, new, c: torch.tanh(new)), "output gate is missing"),
        (like(shown=lambda o, new, c: new), "the shown summary is"),
        (lambda i, f, g, o, c: f * c + i * g, "must be 2 values"),
        (like(lambda i, f, g, o, c: c.sum()), "a tensor of shape (3,)"),
    ],
)
def test_wrong_steps_are_named(answer, says):
    refuses(lstm.step, answer, says=says)


def solved(count):
    def widest(weights, D):
        H = 1
        while count(H + 1, D) <= weights:
            H += 1
        return H

    return widest


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (solved(lambda H, D: 4 * H * (D + H)), "biases count too"),
        (solved(lambda H, D: 3 * H * (D + H + 1)), "four parts"),
        (solved(lambda H, D: H * (D + H + 1)), "a plain unit"),
        (solved(lambda H, D: 4 * H * (D + 1)), "U has H weights"),
        (solved(lambda H, D: 4 * H * (H + 1)), "W are missing"),
        (lambda weights, D: 20, "the width is 44; with H = 20 there are 2,480 weights"),
        (lambda weights, D: -1, "the width is 44"),
        (lambda weights, D: 27.5, "a whole number"),
        (lambda weights, D: "wide", "must be a number"),
    ],
)
def test_wrong_widths_are_named(answer, says):
    refuses(lstm.width, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda t: (0, 1, t == 40 and 1), "must let the pulse in"),
        (lambda t: (1, 1, 0), "nothing that came before it"),
        (lambda t: (t == 3 and 1, 0.5, 1), "nothing is left"),
        (lambda t: (t == 3 and 1, 0.99, 0), "keep all of it"),
        (lambda t: (float(t == 3), 1, 1), "step 3 shows"),
        (lambda t: (float(t == 3), 1, 0), "open the output gate"),
        (lambda t: (2.0, 1, 0), "a gate is between 0 and 1"),
        (lambda t: (1, 1), "must be 3 values"),
        (lambda t: ("open", 1, 1), "a gate must be a number"),
    ],
)
def test_wrong_schedules_are_named(answer, says):
    refuses(lstm.carry, answer, says=says)
