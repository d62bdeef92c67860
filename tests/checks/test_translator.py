"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import translator


def beside(x, norm, part):
    return x + part(norm(x))


def mask(lengths, T):
    step = torch.arange(T)
    return (step <= step[:, None]) & (step < lengths[:, None, None])


def smoothed(right, V, share):
    chances = torch.full((len(right), V), share / V)
    chances[torch.arange(len(right)), right] += 1 - share
    return chances


def step(query, key, value, keys, values):
    keys, values = torch.cat([keys, key[None]]), torch.cat([values, value[None]])
    weights = (keys @ query / len(query) ** 0.5).softmax(0)
    return weights @ values, keys, values


def test_solutions_and_stubs():
    accepts(translator.beside, beside)
    accepts(translator.mask, mask)
    accepts(translator.smoothed, smoothed)
    accepts(translator.step, step)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda x, norm, part: norm(x + part(x)), "the order of the paper"),
        (lambda x, norm, part: part(norm(x)), "the residual connection is missing"),
        (lambda x, norm, part: x + part(x), "norm is missing"),
        (lambda x, norm, part: norm(x) + part(norm(x)), "as it came"),
        (lambda x, norm, part: x + norm(part(x)), "not after it"),
        (lambda x, norm, part: x, "expected"),
        (lambda x, norm, part: x[0], "a tensor of shape (2, 4)"),
    ],
)
def test_wrong_blocks_are_named(answer, says):
    refuses(translator.beside, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda n, T: (torch.arange(T) < n[:, None])[:, None].expand(-1, T, T), "look ahead"),
        (lambda n, T: torch.ones(T, T).tril().bool().expand(len(n), T, T), "padding is seen"),
        (lambda n, T: mask(n, T).mT, "turned over"),
        (lambda n, T: mask(n, T) & ~torch.eye(T, dtype=torch.bool), "may look at itself"),
        (lambda n, T: ~mask(n, T), "here it means may not"),
        (lambda n, T: torch.ones(T, T).tril().bool() & (torch.arange(T) < n[:, None])[:, :, None], "hides the rows"),
        (lambda n, T: torch.zeros(len(n), T, T), "expected"),
        (lambda n, T: torch.ones(T, T), "must be a tensor of shape (2, 3, 3)"),
    ],
)
def test_wrong_masks_are_named(answer, says):
    refuses(translator.mask, answer, says=says)


def hot(right, V):
    return torch.nn.functional.one_hot(right, V).float()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda r, V, s: hot(r, V), "still on the right word"),
        (lambda r, V, s: hot(r, V) + s / V, "must add up to 1"),
        (lambda r, V, s: (1 - s) * hot(r, V) + s / (V - 1) * (1 - hot(r, V)), "V that divides"),
        (lambda r, V, s: (1 - s) * hot(r, V) + s, "not given to each word"),
        (lambda r, V, s: (1 - s) * hot(r, V) + s / V * (1 - hot(r, V)), "its part of what is spread"),
        (lambda r, V, s: s * hot(r, V) + (1 - s) / V, "keeps 1 - share"),
        (lambda r, V, s: hot(r, V) * 0, "expected"),
    ],
)
def test_wrong_chances_are_named(answer, says):
    refuses(translator.smoothed, answer, says=says)


def reading(look, own=True):
    def answer(query, key, value, keys, values):
        after = torch.cat([keys, key[None]]), torch.cat([values, value[None]])
        seen = after if own else (keys, values)
        return look(query, *seen), *after

    return answer


def soft(scale):
    return lambda query, keys, values: (keys @ query / scale).softmax(0) @ values


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (reading(soft(2**0.5), own=False), "its own key and value join"),
        (reading(soft(1)), "the root of the width"),
        (reading(soft(2)), "its root is asked for"),
        (reading(lambda q, k, v: v.mean(0)), "the query asks the keys"),
        (reading(lambda q, k, v: v[0]), "expected"),
        (lambda q, k, v, keys, values: step(q, k, v, keys, values)[0], "three results"),
        (lambda q, k, v, keys, values: (step(q, k, v, keys, values)[0], keys, values), "must be remembered"),
        (
            lambda q, k, v, keys, values: (
                step(q, k, v, keys, values)[0],
                torch.cat([k[None], keys]),
                torch.cat([v[None], values]),
            ),
            "in the order of the steps",
        ),
    ],
)
def test_wrong_steps_are_named(answer, says):
    refuses(translator.step, answer, says=says)


def test_x_may_be_changed_in_place_and_numbers_are_short():
    assert translator.beside(lambda x, norm, part: x.add_(part(norm(x)))).state == "right"
    assert translator.step(lambda q, k, v, K, V: step(q.clone(), k, v, K.clone(), V.mul_(1))).state == "right"
    assert "got [[2.0, -1.0, 0.5, 3.0], [0.0, 4.0, -2.0, 1.0]]" in repr(translator.beside(lambda x, norm, part: x))
