"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import math

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import supervision
from attend.memory.supervision import LanguageModel


def draw(logits, temperature, u):
    ends = (logits / temperature).softmax(0).cumsum(0)
    return int((ends < u).sum())


def pack(probs, tokens, upto=0, scaled=True, late=False):
    low, width = 0.0, 1.0
    for p, k in zip(probs, tokens, strict=True):
        width = width * p[k] if late else width
        low = low + (width if scaled else 1.0) * p[: k + upto].sum()
        width = width if late else width * p[k]
    return low, width


SHAPES = {
    "say which language a sentence is in": "many-to-one",
    "mark every word of a sentence as noun, verb or something else": "many-to-many",
    "compose a tune from its first note": "one-to-many",
    "tell a cat from a dog in a photograph": "one-to-one",
    "warn, at every heartbeat, whether the heart is still in rhythm": "many-to-many",
}


def test_solutions_and_stubs():
    accepts(supervision.shapes, SHAPES)
    accepts(supervision.draw, draw)
    accepts(supervision.pack, pack)
    assert supervision.shapes(dict.fromkeys(SHAPES, ...)).state == "not yet"
    assert supervision.language_model(...).state == "not yet"
    assert supervision.language_model(lambda *_: None).state == "not yet"


def test_other_right_answers_are_right():
    spelled = {task: shape.replace("-", " ").title() for task, shape in SHAPES.items()}
    assert supervision.shapes(spelled).state == "right"

    def by_hand(logits, temperature, u):
        weights, total = [math.exp(one / temperature) for one in logits.tolist()], 0.0
        for token, weight in enumerate(weights):
            total += weight / sum(weights)
            if u < total:
                return np.int64(token)
        return len(weights) - 1

    assert supervision.draw(by_hand).state == "right"
    assert supervision.draw(lambda *given: torch.tensor(draw(*given))).state == "right"
    for answer in (
        lambda p, k: [float(one) for one in pack(p, k)],
        lambda p, k: torch.stack(pack(p.double(), k)),
        lambda p, k: np.array([one.item() for one in pack(p, k)], dtype=np.float32),
        lambda p, k: (
            sum(pack(p[: t + 1], k[: t + 1])[0] - pack(p[:t], k[:t])[0] for t in range(len(k))),
            pack(p, k)[1],
        ),
    ):
        assert supervision.pack(answer).state == "right"


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (supervision.draw, lambda z, t, u: draw(z, 1.0, u), "makes no difference"),
        (supervision.draw, lambda z, t, u: draw(z, 1 / t, u), "seem to be multiplied"),
        (supervision.draw, lambda z, t, u: z.argmax(), "the likeliest token"),
        (supervision.draw, lambda z, t, u: (z.div(t).softmax(0) - u).abs().argmin(), "not with each of them"),
        (supervision.draw, lambda z, t, u: len(z), "there are"),
        (supervision.draw, lambda z, t, u: min(draw(z, t, u) + 1, len(z) - 1), "one token off"),
        (supervision.draw, lambda z, t, u: 0.5, "a whole number"),
        (supervision.pack, lambda p, k: pack(p, k, upto=1), "leaves k out"),
        (supervision.pack, lambda p, k: pack(p, k, scaled=False), "multiply it by the width"),
        (supervision.pack, lambda p, k: pack(p, k, late=True), "by the old width"),
        (supervision.pack, lambda p, k: (pack(p, k)[0], p[range(len(k)), k].sum()), "are multiplied"),
        (supervision.pack, lambda p, k: (pack(p, k)[0], p[-1, k[-1]]), "last cut alone"),
        (supervision.pack, lambda p, k: (pack(p, k)[0], -pack(p, k)[1].log2()), "these are the bits"),
        (supervision.pack, lambda p, k: (sum(pack(p, k)), pack(p, k)[1]), "the upper end"),
        (supervision.pack, lambda p, k: (0.5, pack(p, k)[1]), "the lower end is not"),
        (supervision.pack, lambda p, k: (pack(p, k)[0], sum(pack(p, k))), "its width is asked for"),
        (supervision.pack, lambda p, k: pack(p, k)[::-1], "the lower end first"),
        (supervision.pack, lambda p, k: pack(p, k)[0], "return two numbers"),
        (supervision.shapes, SHAPES | {"tell a cat from a dog in a photograph": "many-to-one"}, "comes at once"),
        (supervision.shapes, SHAPES | {"compose a tune from its first note": "many"}, "none of the four shapes"),
        (supervision.shapes, dict(list(SHAPES.items())[1:]), "a task is missing"),
        (supervision.shapes, "many-to-one", "is a dictionary"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)


class Mine(nn.Module):
    """A right answer, and with other parts exchanged a wrong one."""

    def __init__(self, V, head=None, carry=True, ahead=False):
        super().__init__()
        self.model, self.out, self.carry, self.ahead = LanguageModel(V, 5, 9), head or nn.Identity(), carry, ahead

    def forward(self, tokens):
        if self.ahead:
            tokens = tokens.roll(-1, dims=1)
        if not self.carry:
            return torch.stack([self.model(token)[0][:, 0] for token in tokens.split(1, dim=1)], dim=1)
        return self.out(self.model(tokens)[0])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"carry": False}, "handed on"),
        ({"ahead": True}, "saw the answer"),
        ({"head": nn.Flatten()}, "must have the shape"),
    ],
)
def test_a_language_model_that_cannot_be_one_is_refused_before_it_is_trained(wrong, says):
    refuses(supervision.language_model, lambda V: Mine(V, **wrong), says=says)


def test_a_language_model_is_trained(monkeypatch):
    monkeypatch.setattr(supervision, "STEPS", 2)
    refuses(supervision.language_model, Mine, says="bits per character of a scene")
    monkeypatch.setattr(supervision, "ENOUGH", 6.5)
    assert supervision.language_model(Mine).state == "right"
