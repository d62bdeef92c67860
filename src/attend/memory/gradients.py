"""Backpropagation through time, written out; the Jacobians that it multiplies; and gradients clipped by their norm.

Source   Werbos 1990, Backpropagation through time (the backward pass); Williams & Peng 1990 (truncation); Pascanu,
         Mikolov & Bengio 2013, arXiv:1211.5063, eqs. 3 to 6 (the Jacobians) and algorithm 1 (clipping).
Departs  truncation cuts between chunks, as `detach` does in a training loop, where Williams & Peng look back equally
         far from every step; clipping gives new tensors back.
Agrees   torch.autograd, with and without `detach`, and torch.nn.utils.clip_grad_norm_ (tests/memory/test_gradients.py).
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.core.types import Positive
from attend.memory.elman import RNN


class Gradients(NamedTuple):
    """∂L/∂W (H, D), ∂L/∂U (H, H), ∂L/∂b (H), and ∂L/∂x (B, T, D)."""

    W: Float[Tensor, "H D"]
    U: Float[Tensor, "H H"]
    b: Float[Tensor, "H"]
    x: Float[Tensor, "B T D"]


@checked
@torch.no_grad()
def bptt(
    rnn: RNN,
    x: Float[Tensor, "B T {rnn.input_size}"],
    loss_grad: Float[Tensor, "B T {rnn.hidden_size}"],
    window: Positive | None = None,
) -> Gradients:
    """Gradients of a loss whose slope with respect to every hidden state, by that step's own term, is `loss_grad`.

    The RNN starts from zero. With a `window`, nothing is passed back across the borders between chunks of so many
    steps, as when a training loop detaches the state there.
    """
    W, U, b = rnn.from_input.weight, rnn.from_hidden.weight, rnn.from_input.bias
    T = x.shape[1]

    h = [x.new_zeros(len(x), rnn.hidden_size)]  # forward: keep every state
    for t in range(T):
        h.append(rnn.step(x[:, t], h[t]))  # h[t + 1] is the state after input t

    dW, dU, db, dx = map(torch.zeros_like, (W, U, b, x))
    from_later = torch.zeros_like(h[0])
    for t in reversed(range(T)):  # backward: the same steps, last one first
        dh = loss_grad[:, t] + from_later  # (B, H): this step's loss, and all later ones
        da = dh * (1 - h[t + 1] ** 2)  # through tanh
        dW += da.T @ x[:, t]  # every step adds to the same three gradients
        dU += da.T @ h[t]
        db += da.sum(dim=0)
        dx[:, t] = da @ W
        from_later = da @ U  # back to the state before
        if window and t % window == 0:
            from_later = torch.zeros_like(from_later)  # detach: no further
    return Gradients(dW, dU, db, dx)


@checked
def jacobians(
    U: Float[Tensor, "H H"],
    hidden: Float[Tensor, "B T H"],
) -> Float[Tensor, "B T H H"]:
    """∂h_t/∂h_{t-1} = diag(1 - h_t²) U at every step: the slope of tanh, then the recurrent weights."""
    return (1 - hidden**2)[..., None] * U


@checked
def products(steps: Float[Tensor, "B T H H"]) -> Float[Tensor, "B T H H"]:
    """∂h_T/∂h_t for every t: what a change of the hidden state at step t does to the last one.

    It is the product of the Jacobians J_T … J_{t+1}; at t = T nothing lies between, and it is the identity.
    """
    B, T, H, _ = steps.shape
    product = torch.eye(H, dtype=steps.dtype, device=steps.device).expand(B, H, H)
    found = [product]
    for t in range(T - 1, 0, -1):
        product = product @ steps[:, t]
        found.append(product)
    return torch.stack(found[::-1], dim=1)


@checked
def clip(
    gradients: Sequence[Tensor],
    threshold: float,
) -> tuple[list[Tensor], Tensor]:
    """All gradients, scaled down together so that their joint norm is at most `threshold`; and the norm before.

    The norm is taken over all tensors at once, so the direction of the step stays as it was.
    """
    _can_be_clipped(gradients, threshold)
    norm = torch.stack([gradient.norm() for gradient in gradients]).norm()
    scale = min(1.0, threshold / float(norm)) if norm > 0 else 1.0
    return [gradient * scale for gradient in gradients], norm


def _can_be_clipped(gradients: Sequence[Tensor], threshold: float) -> None:
    expect(0 < threshold < float("inf"), "threshold", threshold, "a positive finite number")
    expect(len(gradients) > 0, "gradients", gradients, "at least one tensor")
    for gradient in gradients:
        finite("gradients", gradient)
