"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import heads as checks
from attend.transformers.tiny_transformer import CausalSelfAttention


def multi_head(x, W_q, W_k, W_v, W_o, K, scale=None, axis=-1):
    q, k, v = ((x @ W).unflatten(1, (K, -1)).transpose(0, 1) for W in (W_q, W_k, W_v))
    scores = q @ k.mT / (q.shape[-1] ** 0.5 if scale is None else scale)
    return (scores.softmax(axis) @ v).transpose(0, 1).flatten(1) @ W_o


def in_a_loop(x, W_q, W_k, W_v, W_o, K):
    d, total = x.shape[1] // K, 0
    for i in range(K):
        own = slice(i * d, (i + 1) * d)
        weights = ((x @ W_q[:, own]) @ (x @ W_k[:, own]).T / d**0.5).softmax(1)
        total = total + weights @ x @ W_v[:, own] @ W_o[own]
    return total


def look(tokens):
    T = len(tokens)
    first = torch.eye(T).roll(-1, 1).tril(-1)
    first[1:] = torch.eye(T)[:-1]
    first[0] = torch.eye(T)[0]
    before = first @ nn.functional.one_hot(tokens, 50).float()
    before[0] = 0
    match = (nn.functional.one_hot(tokens, 50).float() @ before.T).tril()
    match[match.sum(1) == 0, 0] = 1
    return first, match / match.sum(1, keepdim=True)


def at_the_latest(tokens):
    first, second = look(tokens)
    best = torch.zeros_like(second)
    for t, row in enumerate(second):
        best[t, row.nonzero().max()] = 1
    return first.numpy(), best.tolist()


def test_solutions_and_stubs():
    accepts(checks.multi_head, multi_head)
    accepts(checks.induction, look)
    assert checks.sizes((8, 4096, 80_000)).state == "right"
    assert checks.sizes(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.multi_head(in_a_loop).state == "right"
    assert checks.multi_head(lambda *given: multi_head(*given).double().numpy()).state == "right"
    assert checks.induction(at_the_latest).state == "right"
    assert checks.sizes([8.0, np.int64(4096), torch.tensor(80_000)]).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((64, 4096, 80_000), "share the width"),
        ((8, 512, 80_000), "single head"),
        ((8, 32_768, 80_000), "full width"),
        ((8, 4096, 10_000), "table of one head"),
        ((8, 4096), "3 values"),
        ((8, 4096, "many"), "must be a number"),
    ],
)
def test_wrong_sizes_are_named(answer, says):
    outcome = checks.sizes(answer)
    assert outcome.state == "wrong"
    assert says in outcome.says


def viewed(x, W_q, W_k, W_v, W_o, K):
    q, k, v = ((x @ W).reshape(K, len(x), -1) for W in (W_q, W_k, W_v))
    return ((q @ k.mT / q.shape[-1] ** 0.5).softmax(-1) @ v).reshape(x.shape) @ W_o


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: multi_head(*given[:5], 1), "one head of full width"),
        (lambda *given: multi_head(*given, scale=1), "want dividing"),
        (lambda *given: multi_head(*given, scale=given[0].shape[1] ** 0.5), "own width"),
        (lambda *given: multi_head(*given, axis=-2), "along each row"),
        (lambda *given: multi_head(*given[:4], torch.eye(given[0].shape[1]), given[5]), "W_o is missing"),
        (viewed, "mixes tokens"),
        (lambda *given: multi_head(*given)[:, :1], "shape"),
        (lambda *given: multi_head(*given) + 1, "check one head"),
    ],
)
def test_slips_of_many_heads_are_named(answer, says):
    refuses(checks.multi_head, answer, says=says)


def at_the_same(tokens):
    first, _ = look(tokens)
    same = (tokens[:, None] == tokens).float().tril(-1)
    same[same.sum(1) == 0, 0] = 1
    return first, same / same.sum(1, keepdim=True)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (at_the_same, "the same token"),
        (lambda tokens: (torch.eye(len(tokens)), look(tokens)[1]), "its own place"),
        (lambda tokens: (look(tokens)[0].T, look(tokens)[1]), "looks ahead"),
        (lambda tokens: (look(tokens)[0], 2 * look(tokens)[1]), "add up to 1"),
        (lambda tokens: (look(tokens)[0], torch.eye(len(tokens))), "come right after"),
        (lambda tokens: look(tokens)[0], "2 values"),
    ],
)
def test_slips_of_the_designed_heads_are_named(answer, says):
    refuses(checks.induction, answer, says=says)


@pytest.fixture
def short(monkeypatch):
    practise = checks.practise
    monkeypatch.setattr(checks, "practise", lambda model: practise(model, steps=2))


@pytest.mark.nightly
def test_the_course_own_layer_continues_what_it_has_seen():
    assert checks.build(CausalSelfAttention).state == "right"


class Free(nn.Linear):
    """Every token by itself."""

    def __init__(self, d_model, num_heads):
        super().__init__(d_model, d_model)


class Leaky(CausalSelfAttention):
    def forward(self, x):
        return super().forward(x.flip(1)).flip(1)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda d_model, num_heads: torch.relu, "nn.Module"),
        (lambda d_model, num_heads: nn.Linear(3, 3), "your layer stopped"),
        (lambda d_model, num_heads: nn.Linear(d_model, 3), "of x's shape"),
        (Leaky, "causal mask"),
        (Free, "are asked for"),
    ],
)
def test_what_is_missing_in_a_layer_is_named(make, says, short):
    refuses(checks.build, make, says=says)


def test_no_layer_yet():
    for nothing in (..., None, lambda d_model, num_heads: ...):
        assert checks.build(nothing).state == "not yet"
