"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.nn.functional import layer_norm, scaled_dot_product_attention

from attend.checks import modern as checks
from attend.transformers.modern import ModernBlock
from attend.transformers.tiny_transformer import Block

X = torch.tensor([3.0, -1.0, 5.0, 1.0])


def attend(q, k, v, share=torch.repeat_interleave, shift=None):
    group, (T, S) = q.shape[1] // k.shape[1], (q.shape[2], k.shape[2])
    k, v = (part.repeat(1, group, 1, 1) if share is None else share(part, group, dim=1) for part in (k, v))
    mask = torch.ones(T, S, dtype=torch.bool).tril(S - T if shift is None else shift)
    return scaled_dot_product_attention(q, k, v, mask)


def in_a_loop(q, k, v):
    group, out = q.shape[1] // k.shape[1], torch.empty_like(q)
    for t in range(q.shape[2]):
        seen = k.shape[2] - q.shape[2] + t + 1
        for head in range(q.shape[1]):
            scores = (k[:, head // group, :seen] @ q[:, head, t, :, None])[..., 0] / q.shape[3] ** 0.5
            out[:, head, t] = (scores.softmax(1)[:, None] @ v[:, head // group, :seen])[:, 0]
    return out.double().numpy()


def test_solutions_and_stubs():
    accepts(checks.grouped, attend)
    assert checks.rms((X / 3, -X / 3)).state == "right"
    assert checks.rms(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.rms([[1, -0.33, 1.67, 0.33], (-X / 3).numpy()]).state == "right"
    assert checks.grouped(in_a_loop).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((layer_norm(X, (4,)), X), "LayerNorm"),
        ((X / 6, X), "of their sum"),
        ((X / 9, X), "take the root"),
        ((X / 2, X), "by the mean"),
        ((X, X), "square the four"),
        ((X / 3, X / 3), "sign is not"),
        ((X / 3, X), "times −2"),
        ((X / 3,), "2 values"),
    ],
)
def test_wrong_norms_are_named(answer, says):
    refuses(checks.rms, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda q, k, v: attend(q, k, v, share=None), "neighbouring heads share"),
        (lambda q, k, v: attend(q, k, v, shift=0), "as with a cache"),
        (lambda q, k, v: attend(q, k, v, share=None, shift=0), "share"),
        (lambda q, k, v: attend(q, k, v, shift=99), "where is the mask"),
        (lambda q, k, v: attend(q * q.shape[3] ** 0.5, k, v), "dividing"),
        (lambda q, k, v: attend(q, k, v) + 1, "numbers are not"),
        (lambda q, k, v: k, "shape"),
    ],
)
def test_slips_of_groups_are_named(answer, says):
    refuses(checks.grouped, answer, says=says)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(checks, "STEPS", 2)


def page(d_model, num_heads):
    return ModernBlock(d_model, num_heads, 2, 206)


@pytest.mark.nightly
def test_the_course_own_block_gets_there():
    assert checks.build(page).state == "right"


class Leaky(ModernBlock):
    def forward(self, x):
        return super().forward(x.flip(1)).flip(1)


class Narrow(Block):
    def __init__(self, d_model, num_heads):
        super().__init__(d_model, num_heads)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda d_model, num_heads: torch.relu, "nn.Module"),
        (lambda d_model, num_heads: nn.Linear(3, 3), "your block stopped"),
        (lambda d_model, num_heads: nn.Linear(d_model, 3), "of x's shape"),
        (lambda d_model, num_heads: ModernBlock(d_model, num_heads, 4, 256), "shrink the width"),
        (lambda d_model, num_heads: Leaky(d_model, num_heads, 2, 206), "causal mask"),
        (Narrow, "where are the positions"),
        (page, "are asked for"),
    ],
)
def test_what_is_missing_in_a_block_is_named(make, says, short):
    refuses(checks.build, make, says=says)


def test_no_block_yet():
    for nothing in (..., None, lambda d_model, num_heads: ...):
        assert checks.build(nothing).state == "not yet"
