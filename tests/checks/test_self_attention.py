"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn.functional import scaled_dot_product_attention

from attend.checks import self_attention as checks
from attend.transformers.tiny_transformer import TinyTransformer


def attend(x, W_q, W_k, W_v, scale=None, mask=None, axis=1):
    query, key, value = x @ W_q, x @ W_k, x @ W_v
    scores = query @ key.T / (query.shape[1] ** 0.5 if scale is None else scale)
    mask = torch.ones_like(scores, dtype=torch.bool).tril() if mask is None else mask(len(x))
    return scores.masked_fill(~mask, -torch.inf).softmax(dim=axis) @ value


def one_back(T):
    return 100 * T**0.5 * torch.diag(torch.ones(T - 1), -1), torch.eye(T)


@torch.no_grad()
def leaks(model, T, vocab_size):
    tokens = torch.randint(vocab_size, (1, T))
    before = model(tokens)
    for t in range(1, T):
        changed = tokens.clone()
        changed[0, t] = (tokens[0, t] + 1) % vocab_size
        if not torch.allclose(model(changed)[:, :t], before[:, :t], atol=1e-6):
            return True
    return False


def test_solutions_and_stubs():
    accepts(checks.attend, attend)
    accepts(checks.one_back, one_back)
    accepts(checks.leaks, leaks)


def test_other_right_answers_are_right():
    def fused(x, W_q, W_k, W_v):
        return scaled_dot_product_attention(*(part[None] for part in (x @ W_q, x @ W_k, x @ W_v)), is_causal=True)[0]

    assert checks.attend(fused).state == "right"
    assert checks.attend(lambda *given: attend(*given).double().numpy()).state == "right"
    by_keys = checks.one_back(lambda T: (300 * np.eye(T), np.eye(T, k=1)))
    assert by_keys.state == "right", by_keys
    assert checks.leaks(lambda *given: np.bool_(leaks(*given))).state == "right"
    assert checks.leaks(lambda *given: torch.tensor(leaks(*given))).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *given: attend(*given, mask=lambda T: torch.ones(T, T, dtype=torch.bool)), "comes later"),
        (lambda *given: attend(*given, mask=lambda T: torch.ones(T, T, dtype=torch.bool).triu()), "upside down"),
        (lambda *given: attend(*given, scale=1), "√d"),
        (lambda *given: attend(*given, axis=0), "along each row"),
        (lambda x, *maps: attend(x, *maps)[:, :1], "shape"),
        (lambda x, *maps: attend(x, *maps) + 1, "by hand above"),
        (lambda x, *maps: attend(x, *maps) * torch.nan, "nan"),
    ],
)
def test_slips_of_attention_are_named(answer, says):
    refuses(checks.attend, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda T: (100 * T**0.5 * torch.eye(T), torch.eye(T)), "attends to itself"),
        (lambda T: (100 * T**0.5 * torch.diag(torch.ones(T - 1), 1), torch.eye(T)), "the wrong way"),
        (lambda T: (2 * torch.diag(torch.ones(T - 1), -1), torch.eye(T)), "larger"),
        (lambda T: (torch.zeros(T, T), torch.eye(T)), "of its weight"),
        (lambda T: torch.eye(T), "2 values"),
    ],
)
def test_slips_of_the_designed_head_are_named(answer, says):
    refuses(checks.one_back, answer, says=says)


def only_the_next(model, T, vocab_size):
    tokens = torch.zeros(1, T, dtype=torch.long)
    changed = tokens.clone()
    changed[0, 4] = 1
    return not torch.equal(model(changed)[:, :4], model(tokens)[:, :4])


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda *_: False, "without any mask leaks"),
        (lambda *_: True, "does not leak"),
        (only_the_next, "misses it"),
        (lambda *_: "no", "True or False"),
    ],
)
def test_slips_of_the_test_for_leaks_are_named(answer, says):
    refuses(checks.leaks, answer, says=says)


def changed(**parts):
    """The page's model with some of its methods replaced."""
    return lambda vocab_size: type("Changed", (TinyTransformer,), parts)(vocab_size, context=64)


@pytest.mark.nightly
def test_the_listing_is_a_right_model():
    assert checks.build(lambda vocab_size: TinyTransformer(vocab_size)).state == "right"


def test_no_model_yet():
    for nothing in (..., None, lambda vocab_size: ..., lambda vocab_size: None):
        assert checks.build(nothing).state == "not yet"


class OwnCharacter(torch.nn.Embedding):
    """A table of character pairs."""

    def __init__(self, vocab_size):
        super().__init__(vocab_size, vocab_size)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda vocab_size: torch.relu, "nn.Module"),
        (lambda vocab_size: torch.nn.Identity(), "nn.Module"),
        (lambda vocab_size: TinyTransformer(vocab_size, context=10), "(2, 64)"),
        (lambda vocab_size: TinyTransformer(vocab_size + 1), "shape"),
        (changed(forward=lambda self, tokens: self.output(self.token(tokens).cumsum(1).flip(1))), "leaks"),
        (OwnCharacter, "it learns"),
    ],
)
def test_what_is_missing_in_a_model_is_named(make, says):
    refuses(checks.build, make, says=says)
