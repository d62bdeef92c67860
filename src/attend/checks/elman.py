"""Exercises of the page on the recurrent unit."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.memory.elman import RNN

W = torch.tensor([[0.7, -0.2], [0.1, 0.5]])
U = torch.tensor([[0.9, 0.4], [-0.3, 0.6]])
B = torch.tensor([0.2, -0.1])
ONE_DIRECTION = torch.tensor([[1.0, -2.0], [0.5, -1.0]])


@exercise
def update(updated: Callable) -> str:
    """updated(W, U, b, x, h) -> the new summary; vectors are one-dimensional."""
    x, h = torch.tensor([1.0, -0.5]), torch.tensor([0.3, 0.8])
    got, right = tensor(updated(W, U, B, x, h), 2, what="the new summary"), torch.tanh(W @ x + U @ h + B)
    if torch.allclose(got, right, atol=1e-5):
        return "The same two lines of numbers, whatever the width: this is the whole unit."
    mistakes = {
        "without the squash nothing keeps the summary within the square": W @ x + U @ h + B,
        "the squash of this unit is tanh: a sigmoid gives no summary below 0": torch.sigmoid(W @ x + U @ h + B),
        "the bias b is missing": torch.tanh(W @ x + U @ h),
        "the last summary must enter: without U h the unit has no memory": torch.tanh(W @ x + B),
        "the input must enter: W x is missing": torch.tanh(U @ h + B),
        "W belongs to the input and U to the summary; here they are exchanged": torch.tanh(W @ h + U @ x + B),
        "squash once, after the sum: two squashed parts can add up to more than 1": torch.tanh(W @ x)
        + torch.tanh(U @ h + B),
        "a matrix acts from the left, W @ x; x @ W uses its transpose": torch.tanh(x @ W + h @ U + B),
    }
    recognise(got, mistakes)
    raise Wrong(f"got {_spell(got)}, expected {_spell(right)}")


@exercise
def inert(direction: object) -> str:
    """A movement of the input, two numbers, that changes no summary although W is not zero."""
    move = tensor(direction, 2, what="the movement")
    if move.norm() < 1e-6:
        raise Wrong("an input that does not move cannot change anything; find a movement that is not zero")
    push = ONE_DIRECTION @ move
    if push.norm() > 1e-4 * move.norm():
        raise Wrong(f"this movement pushes every summary by W d = {_spell(push)}; it must be (0.00, 0.00)")
    return "The unit sees the input only through W x. Whatever W maps to zero stays unseen."


@exercise
def latch(w: object, u: object, b: object) -> str:
    """Three numbers for a unit of width 1 that keeps the sign of the last pulse for 50 steps."""
    w_, u_, b_ = number(w, "w"), number(u, "u"), number(b, "b")
    unit = RNN(1, 1)
    unit.load_state_dict(
        {
            "from_input.weight": torch.tensor([[w_]]),
            "from_hidden.weight": torch.tensor([[u_]]),
            "from_input.bias": torch.tensor([b_]),
        }
    )
    series = torch.zeros(1, 204, 1)
    pulses = (1.0, -1.0, -1.0, 1.0)
    series[0, ::51, 0] = torch.tensor(pulses)
    with torch.no_grad():
        kept = unit(series)[0][0, :, 0]
    for k, pulse in enumerate(pulses):
        _kept(kept[51 * k : 51 * (k + 1)] * pulse, pulse, u_)
    return "One unit can hold one bit for as long as nobody writes over it."


def _kept(run: Tensor, pulse: float, u: float) -> None:
    """Refuse a run of 51 steps, signed so that the pulse is positive, in which the pulse's sign is not kept."""
    sign = "+1" if pulse > 0 else "-1"
    if run[0] <= 0:
        raise Wrong(f"a pulse of {sign} must turn the summary over: it has to beat what u h and b add up to")
    if u < 0 and bool((run[1:6] < 0).any()):
        raise Wrong("a negative u turns the sign at every step")
    if run[-1] < -0.5:
        raise Wrong(f"after a pulse of {sign} the summary falls to the other side: the bias prefers one of them")
    if run[-1] < 0.5:
        raise Wrong(
            f"50 steps after a pulse of {sign} the summary is {run[-1] * pulse:.2f}: it has faded. "
            "Near zero a step multiplies it by u, so u must be well above 1"
        )


def _spell(vector: Tensor) -> str:
    return "(" + ", ".join(f"{value:.2f}" for value in vector.tolist()) + ")"
