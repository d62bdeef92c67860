"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import counter
from attend.gating.counter import LearnedCounter, Stacked


def right_weights(D, H, L):
    return 3 * H * (D + H + 1) + (L - 1) * 3 * H * (2 * H + 1)


def right_gate(h, entered):
    return (0 if entered else 1), h + 1 / 20


class Residual(Stacked):
    def forward(self, x, states=None):
        hidden, last = [], []
        for k, layer in enumerate(self.layers):
            out, state = layer(x, None if states is None else states[k])
            x = self.join(k, out, x)
            hidden.append(x)
            last.append(state)
        return hidden, last

    def join(self, k, out, x):
        return out if k == 0 else out + x


class Summed(LearnedCounter):
    def forward(self, x):
        scores, hidden = super().forward(x)
        return self.read(scores), hidden

    def read(self, scores):
        return scores.sigmoid().cumsum(dim=1)


def like(base, method, change):
    """A class with one mistake in it."""
    return type("Answer", (base,), {method: change, "forward": base.forward})


class Forgetful(Residual):
    def forward(self, x, states=None):
        return super().forward(x)


class Topped(Residual):
    def forward(self, x, states=None):
        hidden, _ = super().forward(x, states)
        return hidden, [sums[:, -1] for sums in hidden]


def test_solutions_and_stubs():
    accepts(counter.weights, right_weights)
    accepts(counter.gated, right_gate)
    for check, solution in ((counter.residual, Residual), (counter.summed, Summed)):
        assert check(solution).state == "right"
        assert check(...).state == "not yet"
        stub = type("Stub", (solution.__base__,), {"forward": lambda self, x: ...})
        assert check(stub).state == "not yet"
        assert check(type("Nothing", (solution.__base__,), {})).state == "not yet"


@pytest.mark.parametrize(
    "answer",
    [
        lambda h, entered: (not entered, h + 1 / 20),
        lambda h, entered: (torch.tensor(float(not entered)), torch.tensor([h + 0.05])),
        lambda h, entered: (np.float32(not entered), np.float64(h + 0.05)),
        lambda h, entered: (np.bool_(not entered), np.float32(h + 0.05)),
        lambda h, entered: (torch.tensor(not entered), h + 0.05),
        lambda h, entered: torch.tensor([float(not entered), h + 0.05]),
        lambda h, entered: (0.5, h + 0.1) if entered else (1.0, 0.0),
        lambda h, entered: [1 - int(entered), round(20 * h + 1) / 20],
    ],
)
def test_other_right_gates_are_right(answer):
    assert counter.gated(answer).state == "right"


def test_other_right_answers_are_right():
    assert counter.weights(lambda D, H, L: np.int64(right_weights(D, H, L))).state == "right"
    assert counter.weights(lambda D, H, L: torch.tensor(right_weights(D, H, L))).state == "right"
    tupled = like(Residual, "forward", None)
    tupled.forward = lambda self, x, states=None: tuple(map(tuple, Residual.forward(self, x, states)))
    assert counter.residual(tupled).state == "right"
    doubled = like(Summed, "read", lambda self, scores: scores.double().sigmoid().cumsum(1))
    assert counter.summed(doubled).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda D, H, L: L * 3 * H * (D + H + 1), "the layer below"),
        (lambda D, H, L: right_weights(D, H, L + 1), "L layers in all"),
        (lambda D, H, L: L * 3 * H * (2 * H + 1), "reads D numbers"),
        (lambda D, H, L: right_weights(D, H, L) + H + 1, "head"),
        (lambda D, H, L: right_weights(D, H, L) + L * 3 * H, "two bias vectors"),
        (lambda D, H, L: right_weights(D, H, L) - L * 3 * H, "biases are missing"),
        (lambda D, H, L: right_weights(D, H, L) // 3, "three blocks"),
        (lambda D, H, L: right_weights(D, H, L) // 3 * 4, "an LSTM's"),
        (lambda D, H, L: right_weights(D, H, 1), "one layer alone"),
        (lambda D, H, L: 7, "begin with L = 1"),
        (lambda D, H, L: 7.5, "whole number"),
    ],
)
def test_slips_of_the_weights_are_named(answer, says):
    refuses(counter.weights, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda h, entered: (0, h + 0.05 * entered), "must keep"),
        (lambda h, entered: (0.5 if entered else 1, h + 0.05), "only a part"),
        (lambda h, entered: (1, h + 0.05), "must let the candidate in"),
        (lambda h, entered: (not entered, 0.05), "must hold the old count too"),
        (lambda h, entered: (not entered, min(1, h + 1)), "adds 1/20"),
        (lambda h, entered: (not entered, 20 * h + 1.05), "comes out of tanh"),
        (lambda h, entered: (int(entered), h + 0.05), "must keep"),
        (lambda h, entered: (2, h), "between 0 and 1"),
        (lambda h, entered: h + 0.05, "2 values"),
        (lambda h, entered: ("shut", h), "must be a number"),
    ],
)
def test_slips_of_the_gate_are_named(answer, says):
    refuses(counter.gated, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (like(Residual, "join", lambda self, k, out, x: out), "nothing is added here yet"),
        (like(Residual, "join", lambda self, k, out, x: out if k == 0 else (out + x) / 2), "not averaged"),
        (like(Residual, "join", lambda self, k, out, x: out if k == 0 else out - x), "layer(x) + x"),
        (like(Residual, "join", lambda self, k, out, x: out + x), "nothing can be added there"),
        (type("Top", (Residual,), {"forward": lambda self, x: Residual.forward(self, x)[0][-1]}), "2 values"),
        (type("Stops", (Stacked,), {"forward": lambda self, x: 1 / 0}), "ZeroDivisionError"),
        (Forgetful, "in two parts"),
        (Topped, "in two parts"),
        (LearnedCounter, "derive your class from Stacked"),
        (3, "the class itself"),
    ],
)
def test_slips_of_the_residual_stack_are_named(answer, says):
    refuses(counter.residual, answer, says=says)


@pytest.mark.parametrize(
    ("read", "says"),
    [
        (lambda self, scores: scores.sigmoid(), "now sum them"),
        (lambda self, scores: scores, "as it was"),
        (lambda self, scores: scores.cumsum(1), "sum is of probabilities"),
        (lambda self, scores: scores.cumsum(1).sigmoid(), "not on their sum"),
        (lambda self, scores: scores.sigmoid().cumsum(0), "axis 1"),
        (lambda self, scores: scores.sigmoid().cumsum(1) - scores.sigmoid(), "own probability"),
        (lambda self, scores: scores.relu().cumsum(1), "not ReLU"),
        (lambda self, scores: scores.sigmoid().cumsum(1).squeeze(2), "keep their last axis"),
        (lambda self, scores: scores.tanh().cumsum(1), "running sum"),
    ],
)
def test_slips_of_the_sum_are_named(read, says):
    refuses(counter.summed, like(Summed, "read", read), says=says)
