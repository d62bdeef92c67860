"""Each checker knows the solution, the typical wrong answers and the stub."""

import math

import pytest
import torch

from attend.checks import gru


def right_update(z, r, push, pull, h):
    return z * h + (1 - z) * torch.tanh(push + r * pull)


def half(steps):
    keep = 0.5 ** (1 / steps)
    return math.log(keep / (1 - keep))


SLUICE = ((0.0, -20.0), 10.0, (3.0, 0.0), 0.0)


def test_solutions():
    assert gru.update(right_update).state == "right"
    assert gru.bias(half).state == "right"
    assert gru.bias(lambda steps: -math.log(2 ** (1 / steps) - 1)).state == "right"
    assert gru.sluice(*SLUICE).state == "right"
    assert gru.sluice(torch.tensor([0.0, -30.0]), 12, [5, 0], 0).state == "right"


def test_stubs():
    assert gru.update(lambda *_: ...).state == "not yet"
    assert gru.bias(lambda steps: ...).state == "not yet"
    assert gru.sluice(..., ..., ..., ...).state == "not yet"
    assert gru.sluice(*SLUICE[:3], ...).state == "not yet"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda z, r, a, p, h: (1 - z) * h + z * torch.tanh(a + r * p), "z = 1 must copy"),
        (lambda z, r, a, p, h: z * h + (1 - z) * torch.tanh(r * a + p), "not what the input says"),
        (lambda z, r, a, p, h: z * h + (1 - z) * torch.tanh(r * (a + p)), "the input's push too"),
        (lambda z, r, a, p, h: z * h + (1 - z) * torch.tanh(a + p), "r is missing"),
        (lambda z, r, a, p, h: z * h + (1 - z) * (a + r * p), "squashed after the sum"),
        (lambda z, r, a, p, h: z * h + (1 - z) * (torch.tanh(a) + r * torch.tanh(p)), "inside the squash"),
        (lambda z, r, a, p, h: z * h + torch.tanh(a + r * p), "add up to 1"),
        (lambda z, r, a, p, h: z * r * h + (1 - z) * torch.tanh(a + r * p), "weighed by z alone"),
        (lambda z, r, a, p, h: (1 - z) * torch.tanh(a + r * p), "z * h is missing"),
        (lambda z, r, a, p, h: torch.tanh(a + r * p), "this is the candidate"),
        (lambda z, r, a, p, h: h, "expected (-0.49"),
        (lambda z, r, a, p, h: h.sum(), "a tensor of shape (3,)"),
    ],
)
def test_wrong_updates_are_named(answer, says):
    outcome = gru.update(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda steps: 0.5 ** (1 / steps), "the gate's value z"),
        (lambda steps: -half(steps), "Which sign keeps?"),
        (lambda steps: math.log(0.5 ** (1 / steps)), "undone by log(z / (1 - z))"),
        (lambda steps: math.log(steps - 1), "and not one half"),
        (lambda steps: math.log(steps / math.log(2) - 1), "close for long times"),
        (lambda steps: 5.0, "for 3 steps the gate must stand at 0.7937"),
        (lambda steps: -1e9, "for 3 steps"),
        (lambda steps: "long", "a bias must be a number"),
    ],
)
def test_wrong_biases_are_named(answer, says):
    outcome = gru.bias(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (((0.0, -20.0), 10.0, (-3.0, 0.0), 0.0), "wrong sign"),
        (((0.0, 0.0), 10.0, (3.0, 0.0), 0.0), "the gate must open"),
        (((0.0, -20.0), 10.0, (0.0, 0.0), 0.0), "near the bit"),
        (((0.0, -8.0), 4.0, (3.0, 0.0), 0.0), "the gate must be shut"),
        (((0.0, 20.0), -10.0, (3.0, 0.0), 0.0), "the gate must open"),
        ((-20.0, 10.0, (3.0, 0.0), 0.0), "two weights"),
        (((0.0, -20.0, 1.0), 10.0, (3.0, 0.0), 0.0), "w_z must be 2 values"),
        (((0.0, -20.0), "shut", (3.0, 0.0), 0.0), "b_z must be a number"),
    ],
)
def test_wrong_sluices_are_named(answer, says):
    outcome = gru.sluice(*answer)
    assert outcome.state == "wrong"
    assert says in outcome.says
