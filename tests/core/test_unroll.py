"""Unrolling a step along time, beside torch.nn.RNN on packed sequences."""

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from attend.core.unroll import unroll

B, T, D, H = 3, 6, 2, 4
LENGTHS = torch.tensor([6, 2, 4])
VISIBLE = torch.arange(T) < LENGTHS[:, None]


@pytest.fixture
def rnn():
    torch.manual_seed(0)
    return nn.RNN(D, H, batch_first=True).double()


def step(rnn):
    def one(x, h):
        w = rnn.all_weights[0]
        h = torch.tanh(x @ w[0].T + w[2] + h @ w[1].T + w[3])
        return h, h

    return one


def test_equals_torch_in_value_and_gradient(rnn):
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    ours, last = unroll(step(rnn), x, x.new_zeros(B, H))
    theirs, _ = rnn(x)
    assert torch.allclose(ours, theirs, atol=1e-12)
    assert torch.equal(ours[:, -1], last)
    one, two = (torch.autograd.grad(y.square().sum(), x)[0] for y in (ours, theirs))
    assert torch.allclose(one, two, atol=1e-12)


def test_padding_never_changes_a_result(rnn):
    x = torch.randn(B, T, D, dtype=torch.float64, requires_grad=True)
    _, last = unroll(step(rnn), x, x.new_zeros(B, H), VISIBLE)
    _, theirs = rnn(pack_padded_sequence(x, LENGTHS, batch_first=True, enforce_sorted=False))
    assert torch.allclose(last, theirs[0], atol=1e-12)
    gradient = torch.autograd.grad(last.sum(), x)[0]
    assert gradient[~VISIBLE].eq(0).all()
    assert gradient[VISIBLE].ne(0).any(-1).all()


def test_a_state_may_be_a_tuple():
    def count(x, state):
        total, steps = state
        return x, (total + x, steps + 1)

    x = torch.ones(B, T, 1)
    _, (total, steps) = unroll(count, x, (torch.zeros(B, 1), torch.zeros(B, 1)), VISIBLE)
    assert total.squeeze(1).tolist() == steps.squeeze(1).tolist() == LENGTHS.tolist()


def test_bad_input_is_refused():
    x = torch.zeros(B, T, D)
    with pytest.raises(ValueError, match=r"x: got .* expected a tensor with at least one value"):
        unroll(lambda x, h: (h, h), x[:, :0], torch.zeros(B, H))
    with pytest.raises(ValueError, match=r"mask: got .* at least one visible step"):
        unroll(lambda x, h: (h, h), x, torch.zeros(B, H), torch.zeros(B, T, dtype=torch.bool))
    with pytest.raises(ValueError, match=r"mask: got .* with B = 3, T = 6"):
        unroll(lambda x, h: (h, h), x, torch.zeros(B, H), VISIBLE[:, 1:])
