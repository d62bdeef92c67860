"""Exercises of the page on fading and exploding gradients."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import floats, number, recognise, tensor
from attend.checks.exercise import Wrong, exercise
from attend.memory import gradients

U = torch.tensor([[0.9, 0.4], [-0.3, 0.6]])


@exercise
def jacobian(slope_of_step: Callable) -> str:
    """slope_of_step(U, h) -> ∂h_t/∂h_{t-1}, a matrix, where h is the new summary h_t."""
    h = torch.tensor([0.8, -0.2])
    got, right = (
        tensor(slope_of_step(U, h), 2, 2, what="the slope of two numbers by two numbers"),
        gradients.jacobians(U, h.reshape(1, 1, 2))[0, 0],
    )
    slope = 1 - h**2
    mistakes = {
        "the squash has a slope too: this is U alone": U,
        "the slope belongs to the new summary, so it multiplies the rows of U, not its columns": U * slope,
        "h has been squashed already: its slope is 1 - h², not 1 - tanh(h)²": (1 - torch.tanh(h) ** 2)[:, None] * U,
        "the slope of tanh is 1 - h², not 1 - h": (1 - h)[:, None] * U,
        "row i must say how the new number i answers; this is the transpose": right.T,
    }
    if torch.allclose(got, right, atol=1e-5):
        return "The slope first, then the weights: one such factor for every step of the lag."
    recognise(got, mistakes)
    raise Wrong(f"for U = {U.tolist()} and h = {h.tolist()} got {got.tolist()}")


@exercise
def lag(steps_until: Callable) -> str:
    """steps_until(radius, share) -> the first lag at which radius**lag is at most `share`."""
    for radius, share in ((0.5, 0.25), (0.5, 0.3), (0.9, 0.01), (0.99, 0.5), (0.5, 0.001)):
        got = number(steps_until(radius, share), "a lag")
        exact = math.log(share) / math.log(radius)
        wanted = math.ceil(exact - 1e-9)
        if got == -wanted:
            raise Wrong("a lag is positive: both logarithms are negative, and so their quotient is not")
        if got != int(got):
            raise Wrong(f"a lag is a whole number of steps, got {got}; the first step that is enough")
        if got == wanted - 1:
            raise Wrong(
                f"at radius {radius}, {radius**got:.3g} is left after {int(got)} steps, more than {share}: round up"
            )
        if got != wanted:
            raise Wrong(f"radius {radius} and share {share} need {wanted} steps, got {int(got)}")
    return "At radius 0.9, a hundredth is left after 44 steps. A sentence is longer than that."


@exercise
def clip(shortened: Callable) -> str:
    """shortened(gradients, threshold) -> gradients: a list of tensors whose joint length is at most the threshold."""
    long, short = [torch.tensor([[3.0, 0.0], [0.0, 4.0]]), torch.tensor([12.0, 0.0])], [torch.tensor([0.3, 0.4])]
    kept = _tensors(shortened([g.clone() for g in short], 1.0), short)
    if not torch.allclose(kept[0], short[0]):
        raise Wrong("a gradient that is short enough must stay as it is; clipping never makes one longer")
    got, (right, length) = _tensors(shortened([g.clone() for g in long], 1.0), long), gradients.clip(long, 1.0)
    if _same(got, right):
        return "One factor for all of them: the step is shorter and points where it did."
    if _same(got, [g / g.norm() for g in long]):
        raise Wrong("each tensor was clipped alone, and that turns the step; take one length over all of them")
    if _same(got, [g.clamp(-1, 1) for g in long]):
        raise Wrong("clamping single numbers turns the step; all of them must shrink by one factor")
    if _same(got, long):
        raise Wrong(f"these gradients have the joint length {length:.0f} and must become shorter")
    total = torch.stack([g.norm() for g in got]).norm()
    raise Wrong(f"the joint length is {total:.3g} after clipping, expected the threshold 1")


def _same(got: list[Tensor], other: list[Tensor]) -> bool:
    return all(torch.allclose(a, b, atol=1e-4) for a, b in zip(got, other, strict=True))


def _tensors(value: object, like: list[Tensor]) -> list[Tensor]:
    wanted = f"expected a list of {len(like)} tensors, shaped like the gradients that went in"
    if not isinstance(value, list | tuple) or len(value) != len(like):
        raise Wrong(wanted)
    got = [floats(v, wanted) for v in value]
    if any(v.shape != g.shape for v, g in zip(got, like, strict=True)):
        raise Wrong(wanted)
    return got
