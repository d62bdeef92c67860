"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import translation


def look(s, keys, summaries, W, v):
    weights = torch.softmax(torch.tanh(W @ s + keys) @ v, dim=0)
    return weights @ summaries


def share(weights, origin):
    said = origin >= 0
    return (weights.argmax(dim=1) == origin)[said].float().mean()


def two_words(first, then, width):
    kept = sorted(first, key=first.get, reverse=True)[:width]
    chance = {(a, b): first[a] * p for a in kept for b, p in then[a].items()}
    return max(chance, key=chance.get)


def of(joint, keep=None):
    def best(first, then, width):
        kept = sorted(first, key=first.get, reverse=True)[: keep or width]
        chance = {(a, b): joint(first[a], p) for a in kept for b, p in then[a].items()}
        return max(chance, key=chance.get)

    return best


def test_solutions_and_stubs():
    accepts(translation.look, look)
    accepts(translation.share, share)
    accepts(translation.two_words, two_words)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda s, k, h, W, v: (torch.tanh(W @ s + k) @ v) @ h, "a softmax must turn them into shares"),
        (lambda s, k, h, W, v: ((W @ s + k) @ v).softmax(0) @ h, "tanh is missing"),
        (lambda s, k, h, W, v: h[(torch.tanh(W @ s + k) @ v).argmax()], "the largest weight"),
        (lambda s, k, h, W, v: h.mean(0), "the plain mean"),
        (lambda s, k, h, W, v: (torch.tanh(k) @ v).softmax(0) @ h, "the asker is missing"),
        (lambda s, k, h, W, v: (torch.tanh(W @ s + k) @ v).exp() @ h, "the weights must add up to 1"),
        (lambda s, k, h, W, v: (torch.tanh(W @ s + k) @ v).softmax(0)[:, None] * h, "a tensor of shape (2,)"),
        (lambda s, k, h, W, v: h[0], "expected ("),
    ],
)
def test_wrong_looks_are_named(answer, says):
    refuses(translation.look, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda w, o: (w.argmax(1) == o).float().mean(), "not counted as misses"),
        (lambda w, o: (w.argmax(1) == o).sum(), "the share is asked for"),
        (lambda w, o: w[o >= 0, o[o >= 0]].mean(), "whether it is the largest"),
        (lambda w, o: (w[torch.arange(6), o] == w.amax(1)).float().mean(), "-1 is no place"),
        (lambda w, o: 0.9, "expected 0.500"),
        (lambda w, o: "half", "must be a number"),
    ],
)
def test_wrong_shares_are_named(answer, says):
    refuses(translation.share, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (of(lambda p, q: p * q, keep=1), "this is the greedy answer"),
        (of(lambda p, q: p * q, keep=3), "width 1 is greedy"),
        (lambda f, t, w: of(lambda p, q: p * q, keep=3 if w > 1 else 1)(f, t, w), "one that was dropped"),
        (of(lambda p, q: p + q), "the product of its steps"),
        (of(lambda p, q: q), "the first step counts too"),
        (lambda f, t, w: "a", "an answer is two words"),
        (lambda f, t, w: ("b", "x"), "expected ('a', 'x')"),
    ],
)
def test_wrong_beams_are_named(answer, says):
    refuses(translation.two_words, answer, says=says)
