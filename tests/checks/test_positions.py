"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import math

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import positions as checks
from attend.transformers.positioned import PositionedAttention
from attend.transformers.positions import shift_matrix, sinusoids

SLOWEST = 2 * math.pi * 10_000 ** (30 / 32)


@pytest.mark.parametrize("answer", [(SLOWEST, 8), (35_333, 8), [torch.tensor(35_300.0), np.int64(8)]])
def test_hands_are_counted(answer):
    accepts(checks.hands, answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((SLOWEST / (2 * math.pi), 8), "by one radian"),
        ((2 * math.pi * 10_000, 8), "i = 15"),
        ((6.28, 8), "fastest"),
        ((5.0, 8), "smallest angle"),
        ((SLOWEST, 16), "do get round"),
        ((SLOWEST, 5), "fits into 512"),
        ((SLOWEST, 7.5), "whole number"),
        (8, "2 values"),
    ],
)
def test_slips_about_hands_are_named(answer, says):
    refuses(checks.hands, answer, says=says)


def turned(x, positions, direction=1, exponent=1, rows=None):
    d = x.shape[1]
    frequencies = 10_000.0 ** (-exponent * torch.arange(0, d, 2) / d)
    angle = direction * positions[:, None] * frequencies
    a, b = x[:, 0::2], x[:, 1::2]
    return torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], dim=2).flatten(1)


def by_complex_numbers(x, positions):
    pairs = torch.view_as_complex(x.view(len(x), -1, 2))
    frequencies = 10_000.0 ** (-torch.arange(0, x.shape[1], 2) / x.shape[1])
    return torch.view_as_real(pairs * torch.polar(torch.ones(1), positions[:, None] * frequencies)).flatten(1).numpy()


def halves(x, positions):
    back = turned(torch.stack(x.chunk(2, 1), 2).flatten(1), positions)
    return torch.cat([back[:, 0::2], back[:, 1::2]], 1)


def apart(x, positions):
    right = turned(x, positions)
    return torch.cat([right[:, 0::2], right[:, 1::2]], 1)


@pytest.mark.parametrize("answer", [turned, by_complex_numbers])
def test_pairs_are_turned(answer):
    accepts(checks.rope, answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda x, positions: x, "nothing is turned"),
        (halves, "neighbours"),
        (lambda *given: turned(*given, direction=-1), "wrong way"),
        (lambda x, positions: turned(x, torch.arange(len(x))), "use `positions`"),
        (apart, "came apart"),
        (lambda *given: turned(*given, exponent=0), "equally fast"),
        (lambda *given: turned(*given, exponent=2), "counts the 2i already"),
        (lambda x, positions: x + sinusoids(40, x.shape[1])[positions], "RoPE multiplies"),
        (lambda *given: 2 * turned(*given), "keeps the length"),
        (lambda *given: turned(*given).flip(1), "the lengths are right"),
        (lambda *given: turned(*given)[:1], "shape"),
    ],
)
def test_slips_of_a_rotation_are_named(answer, says):
    refuses(checks.rope, answer, says=says)


def maps(d_model, k, long=100):
    return long * shift_matrix(-k, d_model).T, torch.eye(d_model)


@pytest.mark.parametrize("answer", [maps, lambda d, k: (torch.eye(d), 100 * shift_matrix(k, d).T)])
def test_a_head_looks_back_exactly(answer):
    accepts(checks.back, answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda d, k: maps(d, -k), "goes the wrong way"),
        (lambda d, k: (100 * torch.eye(d), torch.eye(d)), "attends to itself"),
        (lambda d, k: maps(d, k, 3), "longer"),
        (lambda d, k: maps(d, k + 1), "of its weight to position"),
        (lambda d, k: maps(d, k)[0], "2 values"),
    ],
)
def test_slips_of_the_designed_head_are_named(answer, says):
    refuses(checks.back, answer, says=says)


@pytest.fixture
def short(monkeypatch):
    practise = checks.practise
    monkeypatch.setattr(checks, "practise", lambda model: practise(model, steps=2))


@pytest.mark.nightly
def test_the_course_own_layer_plays():
    assert checks.build(lambda d_model, num_heads: PositionedAttention(d_model, num_heads, "rope")).state == "right"


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda d_model, num_heads: torch.relu, "nn.Module"),
        (lambda d_model, num_heads: nn.Linear(3, 3), "your layer stopped"),
        (lambda d_model, num_heads: nn.Linear(d_model, 3), "of x's shape"),
        (lambda d_model, num_heads: PositionedAttention(d_model, num_heads, "rope", causal=False), "causal mask"),
        (lambda d_model, num_heads: PositionedAttention(d_model, num_heads), "change places"),
        (lambda d_model, num_heads: PositionedAttention(d_model, num_heads, "rope"), "are asked for"),
    ],
)
def test_what_is_missing_in_a_layer_is_named(make, says, short):
    refuses(checks.build, make, says=says)


def test_nothing_yet():
    for nothing in (..., None):
        for check in (checks.hands, checks.rope, checks.back, checks.build):
            assert check(nothing).state == "not yet"
