"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import gradients


def right_slope(U, h):
    return (1 - h**2)[:, None] * U


def right_lag(radius, share):
    return math.ceil(math.log(share) / math.log(radius))


def right_clip(gradients, threshold):
    length = torch.sqrt(sum(g.square().sum() for g in gradients))
    return [g * min(1.0, threshold / length.item()) for g in gradients]


CASES = [(gradients.jacobian, right_slope), (gradients.lag, right_lag), (gradients.clip, right_clip)]


@pytest.mark.parametrize(("check", "answer"), CASES)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (gradients.jacobian, lambda U, h: U, "this is U alone"),
        (gradients.jacobian, lambda U, h: U * (1 - h**2), "not its columns"),
        (gradients.jacobian, lambda U, h: (1 - torch.tanh(h) ** 2)[:, None] * U, "squashed already"),
        (gradients.jacobian, lambda U, h: (1 - h)[:, None] * U, "not 1 - h"),
        (gradients.jacobian, lambda U, h: ((1 - h**2)[:, None] * U).T, "transpose"),
        (gradients.jacobian, lambda U, h: 2 * U, "for U ="),
        (gradients.jacobian, lambda U, h: U @ h, "a tensor of shape (2, 2)"),
        (gradients.lag, lambda r, s: math.floor(math.log(s) / math.log(r)), "round up"),
        (gradients.lag, lambda r, s: math.log(s) / math.log(r), "whole number of steps"),
        (gradients.lag, lambda r, s: math.floor(-math.log(s) / math.log(r)), "positive"),
        (gradients.lag, lambda r, s: 1, "round up"),
        (gradients.lag, lambda r, s: 7, "need 2 steps"),
        (gradients.lag, lambda r, s: "two", "a lag must be a number"),
        (gradients.clip, lambda g, t: [v * t / v.norm() for v in g], "short enough"),
        (gradients.clip, lambda g, t: [v * min(1.0, t / v.norm().item()) for v in g], "each tensor was clipped alone"),
        (gradients.clip, lambda g, t: [v.clamp(-t, t) for v in g], "clamping"),
        (gradients.clip, lambda g, t: g, "joint length 13"),
        (gradients.clip, lambda g, t: [v / 2 if v.norm() > 1 else v for v in g], "6.5"),
        (gradients.clip, lambda g, t: g[0], "a list of"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
