"""Each checker knows the solution, unusual right answers, the typical wrong ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn
from torch.nn import functional as F

from attend.checks import captioner

EVEN, VETO = (0.5, 0.5), ((0.9, 0.0999, 0.0001), (0.0001, 0.4, 0.5999))


def ok_least(T, S):
    return (S - T) ** 2 / S


def look(weights, vectors, copy=lambda w: w, sign=1.0, log=torch.log):
    index = weights.multinomial(1)
    rows = torch.arange(len(weights))
    return vectors[rows, index[:, 0]], sign * log(copy(weights).gather(1, index)[:, 0])


def of(index, log=torch.log):
    """A look that takes the region `index(weights)`."""

    def look(weights, vectors):
        rows, chosen = torch.arange(len(weights)), index(weights)
        return vectors[rows, chosen], log(weights[rows, chosen])

    return look


def loss(logits, log_probs, captions):
    log_p = -F.cross_entropy(logits.mT, captions, reduction="none")
    to_go = log_p.detach().flip(1).cumsum(1).flip(1)
    others = (to_go.sum(0) - to_go) / (len(to_go) - 1)
    return -log_p.mean() - ((to_go - others) * log_probs).mean()


def made(loss):
    """A class whose forward is this function."""

    class HardLoss(nn.Module):
        def forward(self, logits, log_probs, captions):
            return loss(logits, log_probs, captions)

    return HardLoss


class Stub(nn.Module):
    def forward(self, logits, log_probs, captions): ...


def test_solutions_and_stubs(monkeypatch):
    accepts(captioner.least, ok_least)
    accepts(captioner.draw, look)
    accepts(captioner.disagree, EVEN, VETO)
    monkeypatch.setattr(captioner, "STEPS", 1)
    monkeypatch.setattr(captioner, "ENOUGH", 0.0)
    assert captioner.build(made(loss)).state == "right"
    assert captioner.build(Stub).state == captioner.build(...).state == "not yet"
    refuses(captioner.build, loss, says="the class itself")


@pytest.mark.nightly
def test_a_captioner_is_trained_with_the_loss():
    assert captioner.build(made(loss)).state == "right"


@pytest.mark.parametrize(
    ("check", "answers"),
    [
        (captioner.least, [lambda T, S: torch.tensor(S * (1 - T / S) ** 2)]),
        (captioner.least, [lambda T, S: np.float32(ok_least(T, S))]),
        (captioner.draw, [lambda w, v: look(w.double(), v.double())]),
        (captioner.draw, [lambda w, v: of(lambda w: torch.distributions.Categorical(w).sample())(w, v)]),
        (captioner.draw, [lambda w, v: list(look(w, v))]),
        (captioner.disagree, [(0.2, 0.8), torch.tensor(VETO)]),
        (captioner.disagree, [np.array(EVEN, np.float32), np.array(VETO, np.float32)]),
        (captioner.disagree, [(0.1, 0.9), ((0, 0, 1), (0.45, 0.3, 0.25))]),
        (captioner.disagree, [EVEN, ((0.9, 0.1, 0), (0, 0.795, 0.205))]),
        (captioner.disagree, [[torch.tensor(0.5), np.float64(0.5)], [[0.9, 0.1, 0], [0, 1 / 2, 1 / 2]]]),
    ],
)
def test_other_right_answers(check, answers):
    outcome = check(*answers)
    assert outcome.state == "right", outcome


@pytest.mark.parametrize(
    ("check", "answers", "says"),
    [
        (captioner.least, [lambda T, S: 0], "T in all"),
        (captioner.least, [lambda T, S: (1 - T / S) ** 2], "part of one region"),
        (captioner.least, [lambda T, S: S * (1 - 1 / S) ** 2], "before all words to T"),
        (captioner.least, [lambda T, S: (S - T) ** 2], "the gap is shared"),
        (captioner.least, [lambda T, S: S - T], "squares are missing"),
        (captioner.least, [lambda T, S: 99.0], "6 words and 9 regions"),
        (captioner.least, [lambda T, S: "none"], "must be a number"),
        (captioner.draw, [lambda w, v: ((w[:, None] @ v)[:, 0], w.log()[:, 0])], "soft attention"),
        (captioner.draw, [of(lambda w: w.argmax(1))], "the likeliest region is taken"),
        (captioner.draw, [of(lambda w: torch.randint(w.shape[1], (len(w),)))], "equally often"),
        (captioner.draw, [of(lambda w: w[:1].multinomial(1)[:, 0].expand(len(w)))], "all rows get the same region"),
        (captioner.draw, [lambda w, v: look(w, v, copy=lambda w: w.detach())], "no gradient leads"),
        (captioner.draw, [lambda w, v: look(w, v, sign=-1.0)], "the sign is turned"),
        (captioner.draw, [lambda w, v: look(w, v, log=lambda x: x)], "their logarithm is asked"),
        (captioner.draw, [lambda w, v: (look(w, v)[0], look(w, v)[1])], "draw once"),
        (captioner.draw, [lambda w, v: look(w, v.flip(0))], "another row's image"),
        (captioner.draw, [lambda w, v: look(w, v)[0]], "must be 2 values"),
        (captioner.disagree, [(0.5, 0.6), VETO], "add up to 1"),
        (captioner.disagree, [(0.99, 0.01), VETO], "below 0.1"),
        (captioner.disagree, [EVEN, VETO[:1]], "probs must be 2 values"),
        (captioner.disagree, [EVEN, ((0.9, 0.1), (0.5, 0.5))], "must be 3 values"),
        (captioner.disagree, [EVEN, ((1, 0, 0), (0, 0.4, 0.6))], "no word is left"),
        (captioner.disagree, [EVEN, ((0.9, 0.2, 0.1), (0.1, 0.4, 0.5))], "add up to 1"),
        (captioner.disagree, [EVEN, ((0.8, 0.1, 0.1), (0.7, 0.2, 0.1))], "both means prefer word 1"),
        (captioner.disagree, [EVEN, ((0.4, 0.4, 0.2), (0.4, 0.4, 0.2))], "two words equally"),
    ],
)
def test_wrong_answers_are_named(check, answers, says):
    refuses(check, *answers, says=says)


def written(reward, words=1.0, policy=1.0, baseline=True):
    def loss(logits, log_probs, captions):
        log_p = -F.cross_entropy(logits.mT, captions, reduction="none")
        R = reward(log_p.detach())
        others = (R.sum(0) - R) / (len(R) - 1) if baseline else 0
        return -words * log_p.mean() - policy * ((R - others) * log_probs).mean()

    return loss


def to_go(p):
    return p.flip(1).cumsum(1).flip(1)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (written(to_go, policy=-1.0), "sign of the policy's part"),
        (written(to_go, words=0.0), "only the policy learns"),
        (written(to_go, policy=0.0), "only the words learn"),
        (written(to_go, words=-1.0, policy=-1.0), "the signs are turned"),
        (written(lambda p: p.sum(1, keepdim=True).expand_as(p)), "the whole caption"),
        (written(lambda p: p.cumsum(1)), "the words so far"),
        (written(lambda p: p), "its own word alone"),
        (written(to_go, baseline=False), "baseline is missing"),
        (written(lambda p: to_go(p) * (len(p) - 1) / len(p)), "mean of the others"),
        (written(lambda p: to_go(p.exp())), "these are probabilities"),
        (written(to_go, words=7.0, policy=7.0), "gradient for the words"),
        (written(to_go, policy=2.0), "gradient for the looks"),
        (lambda *given: loss(*given).item(), "one number"),
        (lambda *given: loss(*given).detach(), "no gradient leads"),
        (lambda a, b, c: 1 / 0, "ZeroDivisionError"),
    ],
)
def test_wrong_losses_are_named(answer, says):
    refuses(captioner.build, made(answer), says=says)
