"""Each variant differs from the LSTM in the part that its name says, and in nothing else."""

import pytest
import torch

from attend.gating.lstm import LSTM
from attend.gating.lstm_variants import CoupledGates, NoOutputActivation, Peepholes, WithoutGate

B, T, D, H = 3, 6, 4, 5
ROWS = {"input": slice(0, H), "forget": slice(H, 2 * H), "output": slice(3 * H, 4 * H)}


def drawn(variant):
    """A variant and an LSTM with the same weights, in float64, and what both read."""
    torch.manual_seed(0)
    lstm = LSTM(D, H).double()
    variant.double().load_state_dict(lstm.state_dict(), strict=False)
    return variant, lstm, torch.randn(B, T, D).double()


@pytest.mark.parametrize("gate", ROWS)
def test_a_gate_that_is_missing_is_one_that_its_bias_holds_open(gate):
    variant, lstm, x = drawn(WithoutGate(D, H, gate))
    with torch.no_grad():
        lstm.from_input.bias[ROWS[gate]] = 1_000
    outputs, (_, c) = variant(x)
    torch.testing.assert_close(outputs, lstm(x)[0])
    torch.testing.assert_close(c, lstm(x)[1][1])
    (outputs.sum() + c.sum()).backward()
    assert not variant.from_hidden.weight.grad[ROWS[gate]].any()
    assert variant.from_hidden.weight.grad.any()


def test_coupled_gates_are_an_lstm_whose_input_gate_has_the_forget_gates_weights_negated():
    variant, lstm, x = drawn(CoupledGates(D, H))
    with torch.no_grad():
        for weight in (lstm.from_input.weight, lstm.from_hidden.weight, lstm.from_input.bias):
            weight[ROWS["input"]] = -weight[ROWS["forget"]]
    torch.testing.assert_close(variant(x)[0], lstm(x)[0])


def test_without_output_activation_the_first_step_shows_the_cell_as_it_is():
    variant, lstm, x = drawn(NoOutputActivation(D, H))
    state = (torch.randn(B, H).double(), 3 * torch.randn(B, H).double())
    h, c = variant.step(x[:, 0], state)
    shown, cell = lstm.step(x[:, 0], state)
    torch.testing.assert_close(c, cell)
    torch.testing.assert_close(h * torch.tanh(c), shown * c)


def test_peepholes_begin_shut_and_then_shift_each_gate_by_the_cell():
    variant, lstm, x = drawn(Peepholes(D, H))
    torch.testing.assert_close(variant(x)[0], lstm(x)[0])
    p = torch.randn(3, H).double()
    variant.from_cell.data.copy_(p)
    _, c = state = (torch.randn(B, H).double(), torch.randn(B, H).double())
    i, f, g, o = lstm.gates(x[:, 0], state)
    shown, cell = variant.step(x[:, 0], state)
    i, f, o = (
        torch.sigmoid(torch.logit(gate) + peep) for gate, peep in ((i, p[0] * c), (f, p[1] * c), (o, p[2] * cell))
    )
    torch.testing.assert_close(cell, f * c + i * g)
    torch.testing.assert_close(shown, o * torch.tanh(cell))


def test_a_gate_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="without: got 'candidate'"):
        WithoutGate(D, H, "candidate")


def calls():
    return {
        WithoutGate: {"input_size": 3, "hidden_size": 4, "without": "forget"},
        Peepholes: {"input_size": 3, "hidden_size": 4},
    }
