"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import elman


class Right(nn.Module):
    act = staticmethod(torch.tanh)

    def __init__(self, input_size, hidden_size):
        super().__init__()
        self.W, self.U = nn.Linear(input_size, hidden_size), nn.Linear(hidden_size, hidden_size, bias=False)

    def forward(self, x):
        h, states = x.new_zeros(len(x), self.U.in_features), []
        for t in range(x.shape[1]):
            h = self.act(self.W(x[:, t]) + self.U(h))
            states.append(h)
        return torch.stack(states, dim=1)


class NoMemory(Right):
    def forward(self, x):
        return torch.tanh(self.W(x))


class FromTheEnd(Right):
    def forward(self, x):
        return super().forward(x.flip(1)).flip(1)


class Mixed(Right):
    def forward(self, x):
        return super().forward(x + 0.1 * x.mean(0))


class Random(Right):
    def forward(self, x):
        return super().forward(x) + 0.01 * torch.randn(1)


def test_solutions_and_stubs():
    accepts(elman.inert, [2.0, 1.0])
    accepts(elman.latch, 5.0, 4.0, 0.0)
    assert elman.build(...).state == "not yet"
    assert elman.build(lambda *_: None).state == "not yet"


def test_other_right_answers_are_right():
    for direction in (torch.tensor([-1.0, -0.5]), np.array([4, 2]), (-2.0, -1.0)):
        assert elman.inert(direction).state == "right"
    for numbers in ((torch.tensor(5.0), 4, 0.0), (np.float32(6.0), 5, 0.1), (4, 3.2, -0.05)):
        assert elman.latch(*numbers).state == "right", numbers


@pytest.mark.nightly  # it trains for three seconds
@pytest.mark.parametrize("make", [Right, lambda D, H: nn.RNN(D, H, batch_first=True)])
def test_a_network_of_ones_own_is_trained(make):
    assert elman.build(make).state == "right"


@pytest.mark.nightly
def test_without_tanh_it_does_not_get_there():
    make = type("NoTanh", (Right,), {"act": staticmethod(lambda value: value)})
    refuses(elman.build, make, says="is there a tanh")


@pytest.mark.parametrize(
    ("check", "answers", "says"),
    [
        (elman.inert, [[0.0, 0.0]], "not zero"),
        (elman.inert, [[1.0, 0.0]], "W d = (1.00, 0.50)"),
        (elman.latch, [4.0, 2.0, 0.0], "hold on harder"),
        (elman.latch, [4.2, 4.0, 0.0], "let w beat u by more"),
        (elman.latch, [2.0, 3.0, 0.0], "must turn the state over"),
        (elman.latch, [1.0, 0.9, 0.0], "faded"),
        (elman.latch, [3.0, 1.5, 1.0], "the other side"),
        (elman.latch, [4.0, -3.0, 0.0], "negative u"),
        (elman.latch, [-3.5, 3.0, 0.0], "must turn"),
        (elman.build, [NoMemory], "must be handed on"),
        (elman.build, [FromTheEnd], "must be handed on"),
        (elman.build, [Mixed], "another"),
        (elman.build, [Random], "before it"),
        (elman.build, [lambda D, H: nn.RNN(D, H)], "must be handed on"),
        (elman.build, [lambda D, H: nn.Linear(D, 3)], "hidden states"),
        (elman.build, [lambda D, H: 3], "nn.Module"),
    ],
)
def test_wrong_answers_are_told_apart(check, answers, says):
    refuses(check, *answers, says=says)
