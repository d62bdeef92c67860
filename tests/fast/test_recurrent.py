"""RNN, GRU and LSTM through torch's kernels equal the listings: values, gradients, masks, precisions, hessians."""

import copy

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from attend.fast import fast
from attend.fast.recurrent import FastGRU, FastLSTM, FastRNN
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN

KINDS = {RNN: FastRNN, GRU: FastGRU, LSTM: FastLSTM}


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def pair(kind, D=3, H=4, dtype=torch.float64):
    """The listing with biases that are not zero, and its fast twin with parameters of its own."""
    listing = kind(D, H, generator=torch.Generator().manual_seed(1)).to(dtype)
    with torch.no_grad():
        listing.from_input.bias += 0.5 * draw(len(listing.from_input.bias), seed=2, dtype=dtype)
    return listing, fast(copy.deepcopy(listing))


def parts(state):
    return state if isinstance(state, tuple) else (state,)


def state_of(kind, B, H, dtype):
    h, c = (draw(B, H, seed=seed, dtype=dtype).tanh() for seed in (3, 4))
    return (h.requires_grad_(), c.requires_grad_()) if kind is LSTM else h.requires_grad_()


def outcome(cell, x, state, mask):
    """Outputs, last state, and the gradients of a weighted sum of both in input, first state and weights."""
    outputs, last = cell(x, state, mask)
    total = (outputs * draw(*outputs.shape, seed=5, dtype=outputs.dtype)).sum()
    total = total + sum((part * draw(*part.shape, seed=6, dtype=part.dtype)).sum() for part in parts(last))
    asked = [x, *(parts(state) if state is not None else ()), *cell.parameters()]
    return [outputs, *parts(last), *torch.autograd.grad(total, asked)]


def masks(B, T):
    lengths = torch.randint(1, T + 1, (B,), generator=torch.Generator().manual_seed(B * T))
    ends = torch.arange(T) < lengths[:, None]
    holes = torch.rand(B, T, generator=torch.Generator().manual_seed(7)) < 0.5
    holes[:, T // 2] = True
    return {
        "none": None,
        "all": torch.ones(B, T, dtype=torch.bool),
        "ends": ends,
        "starts": ends.flip(1),
        "holes": holes,
    }


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", masks(1, 2))
@settings(max_examples=12)
@given(B=st.integers(1, 4), T=st.integers(1, 9), D=st.integers(1, 5), H=st.integers(1, 6), given_state=st.booleans())
def test_values_and_gradients_are_those_of_the_listing(kind, where, B, T, D, H, given_state):
    listing, quick = pair(kind, D, H)
    x = draw(B, T, D).requires_grad_()
    state = state_of(kind, B, H, torch.float64) if given_state else None
    mask = masks(B, T)[where]
    for one, other in zip(outcome(quick, x, state, mask), outcome(listing, x, state, mask), strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["none", "ends", "holes"])
def test_the_same_in_single_precision(kind, where):
    listing, quick = pair(kind, 8, 16, torch.float32)
    x, state = draw(4, 30, 8, dtype=torch.float32).requires_grad_(), state_of(kind, 4, 16, torch.float32)
    mask = masks(4, 30)[where]
    for one, other in zip(outcome(quick, x, state, mask), outcome(listing, x, state, mask), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("kind", KINDS)
def test_under_autocast_it_is_the_listing(kind):
    listing, quick = pair(kind, dtype=torch.float32)
    x = draw(2, 5, 3, dtype=torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert torch.equal(quick(x)[0], listing(x)[0])


@pytest.mark.parametrize("kind", KINDS)
def test_what_stands_in_the_padding_changes_nothing(kind):
    _, quick = pair(kind)
    mask = torch.tensor([[True, True, False, False]])
    x = draw(1, 4, 3)
    junk = torch.where(mask[..., None], x, 1e6).requires_grad_()
    outputs, last = quick(junk, mask=mask)
    torch.testing.assert_close(last, quick(x[:, :2])[1], rtol=0, atol=1e-12)
    (slope,) = torch.autograd.grad(outputs.sum() + parts(last)[-1].sum(), junk)
    assert not slope[:, 2:].any()


@pytest.mark.parametrize("kind", [RNN, GRU])
def test_second_derivatives_are_those_of_the_listing(kind):
    listing, quick = pair(kind, 2, 3)
    x = draw(1, 4, 2)
    found = [
        torch.autograd.functional.hessian(lambda x, c=cell: c(x)[0].square().sum(), x) for cell in (listing, quick)
    ]
    torch.testing.assert_close(*found, rtol=0, atol=1e-10)
    found = []
    for cell in (listing, quick):
        slopes = torch.autograd.grad(cell(x)[0].square().sum(), list(cell.parameters()), create_graph=True)
        found.append(torch.autograd.grad(sum(slope.square().sum() for slope in slopes), list(cell.parameters())))
    torch.testing.assert_close(*found, rtol=0, atol=1e-9)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("masked", [False, True])
def test_torchs_lstm_refuses_a_second_derivative_and_says_what_to_do(dtype, masked):
    _, quick = pair(LSTM, 2, 3, dtype)
    x, mask = draw(1, 4, 2, dtype=dtype), torch.tensor([[True, True, True, False]]) if masked else None
    with pytest.raises(RuntimeError, match="use the listing"):
        torch.autograd.functional.hessian(lambda x: quick(x, mask=mask)[0].square().sum(), x)
    with pytest.raises(RuntimeError, match="use the listing"):
        torch.autograd.grad(quick(x, mask=mask)[1][1].sum(), list(quick.parameters()), create_graph=True)


@pytest.mark.parametrize("kind", KINDS)
def test_backward_may_ask_for_some_of_the_weights(kind):
    listing, quick = pair(kind)
    x = draw(2, 5, 3)
    for cell in (listing, quick):
        cell(x)[0].square().sum().backward(inputs=[cell.from_hidden.weight])
        assert cell.from_input.weight.grad is None
    torch.testing.assert_close(quick.from_hidden.weight.grad, listing.from_hidden.weight.grad, rtol=0, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_fast_keeps_the_model_its_parameters_and_its_names(kind):
    listing, _ = pair(kind)
    names, parameters = list(listing.state_dict()), list(listing.parameters())
    holder = torch.nn.ModuleList([listing])
    assert fast(holder) is holder
    assert type(holder[0]) is KINDS[kind]
    assert isinstance(holder[0], kind)
    assert list(holder[0].state_dict()) == names
    assert all(one is other for one, other in zip(holder[0].parameters(), parameters, strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_bad_input_is_refused_by_name(kind):
    _, quick = pair(kind)
    with pytest.raises(ValueError, match=r"x: got .*B, T, 3"):
        quick(draw(2, 5, 4))
    with pytest.raises(ValueError, match="mask: got"):
        quick(draw(2, 5, 3), mask=torch.zeros(2, 5, dtype=torch.bool))
