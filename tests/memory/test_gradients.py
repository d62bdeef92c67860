"""Backpropagation through time beside autograd, with and without detach; Jacobians and clipping beside torch."""

import pytest
import torch
from torch.autograd.functional import jacobian

from attend.memory import gradients
from attend.memory.elman import RNN
from attend.memory.gradients import bptt, clip, jacobians, products

B, T, D, H = 2, 7, 3, 4


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def rnn():
    return RNN(D, H, radius=1.2, generator=torch.Generator().manual_seed(1)).double()


@pytest.mark.parametrize("window", [None, 1, 3, 7, 20])
def test_bptt_agrees_with_autograd_and_detach(rnn, window):
    x, loss_grad = draw(B, T, D).requires_grad_(), draw(B, T, H, seed=1)
    state, loss = None, 0
    for start in range(0, T, window or T):
        chunk = slice(start, start + (window or T))
        hidden, state = rnn(x[:, chunk], state)
        loss = loss + (hidden * loss_grad[:, chunk]).sum()
        state = state.detach()
    weights = rnn.from_input.weight, rnn.from_hidden.weight, rnn.from_input.bias, x
    theirs = torch.autograd.grad(loss, weights)
    for ours, right in zip(bptt(rnn, x.detach(), loss_grad, window), theirs, strict=True):
        torch.testing.assert_close(ours, right, rtol=0, atol=1e-12)


def test_products_of_jacobians_agree_with_autograd(rnn):
    rnn.requires_grad_(False)
    x = draw(B, T, D)
    ours = products(jacobians(rnn.from_hidden.weight, rnn(x)[0]))
    for t in range(T):
        _, state = rnn(x[:, : t + 1])
        for b in range(B):
            rest = x[b, t + 1 :][None]
            theirs = jacobian(lambda h, rest=rest: rnn(rest, h[None])[1][0], state[b]) if t < T - 1 else torch.eye(H)
            torch.testing.assert_close(ours[b, t], theirs.double(), rtol=0, atol=1e-12)


def test_the_largest_singular_value_bounds_every_product(rnn):
    rnn.requires_grad_(False)
    left = torch.linalg.matrix_norm(products(jacobians(rnn.from_hidden.weight, rnn(draw(B, T, D))[0])), ord=2)
    assert (left <= 1.2 ** torch.arange(T - 1, -1, -1) + 1e-12).all()


@pytest.mark.parametrize("threshold", [0.01, 1.0, 1e6])
def test_clip_agrees_with_torch(threshold):
    given = [draw(H, H), draw(H, seed=1), draw(H, D, seed=2)]
    parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in given]
    for parameter, gradient in zip(parameters, given, strict=True):
        parameter.grad = gradient.clone()
    theirs = torch.nn.utils.clip_grad_norm_(parameters, threshold)
    clipped, norm = clip(given, threshold)
    torch.testing.assert_close(norm, theirs)
    for ours, parameter in zip(clipped, parameters, strict=True):
        torch.testing.assert_close(ours, parameter.grad, rtol=2e-6, atol=0)


def test_clip_leaves_zero_gradients_alone():
    assert not clip([torch.zeros(3)], 1.0)[0][0].any()


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: bptt(RNN(D, H), torch.zeros(B, T, D), torch.zeros(B, T, H + 1)), "loss_grad: got"),
        (lambda: bptt(RNN(D, H), torch.zeros(B, T, D), torch.zeros(B, T, H), 0), "window: got"),
        (lambda: jacobians(draw(H, H), draw(B, T, H + 1)), "hidden: got"),
        (lambda: products(draw(B, 0, H, H)), "steps: got"),
        (lambda: clip([], 1.0), "gradients: got .*at least one"),
        (lambda: clip([draw(3) * float("inf")], 1.0), "gradients: got .*non-finite"),
        (lambda: clip([draw(3)], 0), "threshold: got 0"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    return {
        gradients.bptt: {
            "rnn": RNN(3, 2),
            "x": torch.ones(2, 5, 3),
            "loss_grad": torch.ones(2, 5, 2),
            "window": 2,
        },
        gradients.jacobians: {"U": torch.eye(2), "hidden": torch.full((2, 5, 2), 0.5)},
        gradients.products: {"steps": torch.ones(2, 5, 2, 2)},
        gradients.clip: {"gradients": [torch.ones(2, 2), torch.ones(3)], "threshold": 0.5},
    }
