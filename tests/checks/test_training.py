"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import math

import numpy as np
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn.functional import cross_entropy, one_hot

from attend.checks import training


def right(logits, target):
    return (torch.softmax(logits, dim=1) - one_hot(target, logits.shape[1])) / len(logits)


def each(logits, target):
    return cross_entropy(logits.mT, target, reduction="none")


def fit(model, loss, batches, lr, *, zero=True, sign=-1, later=False):
    losses = []
    for batch in batches:
        value = loss(model, batch)
        if zero:
            model.zero_grad()
        value.backward()
        with torch.no_grad():
            for weight in model.parameters():
                if weight.grad is not None:
                    weight += sign * lr * weight.grad
        losses.append((loss(model, batch) if later else value).item())
    return losses


def test_the_first_loss():
    accepts(training.first, math.log(65), math.exp(2))
    assert training.first(torch.tensor(4.17), np.float32(7.4)).state == "right"
    refuses(training.first, math.log2(65), math.exp(2), says="in bits")
    refuses(training.first, 1 / 65, 7.4, says="probability")
    refuses(training.first, 4.17, 4, says="2 bits")
    refuses(training.first, 7.4, 4.17, says="equal logits")


def test_the_gradient():
    accepts(training.gradient, right)
    assert training.gradient(lambda z, t: right(z.double(), t).tolist()).state == "right"
    wrong = {
        "of the sum": lambda z, t: right(z, t) * len(z),
        "uphill": lambda z, t: -right(z, t),
        "not by the number of tokens": lambda z, t: right(z, t) * len(z) / z.shape[1],
        "what came": lambda z, t: z.softmax(1) / len(z),
        "over the batch": lambda z, t: (z.softmax(0) - one_hot(t, z.shape[1])) / len(z),
        "a softmax is missing": lambda z, t: (z - one_hot(t, z.shape[1])) / len(z),
        "add up to zero": lambda z, t: (z.sigmoid() - one_hot(t, z.shape[1])) / len(z),
        "of shape": lambda z, t: right(z, t).sum(0),
    }
    for says, answer in wrong.items():
        refuses(training.gradient, answer, says=says)

    def with_autograd(logits, target):
        cross_entropy(logits.requires_grad_(), target).backward()
        return logits.grad

    refuses(training.gradient, with_autograd, says="switched off")


def test_the_masked_loss():
    accepts(training.masked, lambda z, t, m: cross_entropy(z[m], t[m]))
    for good in (
        lambda z, t, m: (each(z, t) * m).sum() / m.sum(),
        lambda z, t, m: cross_entropy(z.mT, t.masked_fill(~m, -100)).item(),
        lambda z, t, m: each(z, t)[m].double().mean().numpy(),
    ):
        assert training.masked(good).state == "right"
    wrong = {
        "padding included": lambda z, t, m: each(z, t).mean(),
        "not out of the count": lambda z, t, m: (each(z, t) * m).mean(),
        "each word's mean": lambda z, t, m: ((each(z, t) * m).sum(1) / m.sum(1)).mean(),
        "turned round": lambda z, t, m: each(z, t)[~m].mean(),
        "in bits": lambda z, t, m: each(z, t)[m].mean() / math.log(2),
        "a number": lambda z, t, m: each(z, t)[m],
        "padding does not change it": lambda z, t, m: 2.0,
    }
    for says, answer in wrong.items():
        refuses(training.masked, answer, says=says)


def test_the_loop():
    accepts(training.build, fit)
    assert training.build(lambda *given: np.array(fit(*given))).state == "right"
    wrong = {
        "old gradient": lambda *given: fit(*given, zero=False),
        "uphill": lambda *given: fit(*given, sign=1),
        "where is the step": lambda *given: fit(*given, sign=0),
        "before its step": lambda *given: fit(*given, later=True),
        "one step": lambda m, loss, batches, lr: fit(m, loss, batches[:1], lr),
        "first batch": lambda m, loss, batches, lr: fit(m, loss, batches[:1] * len(batches), lr),
        "return": lambda *given: fit(*given) and None,
        "plain gradient descent": lambda m, loss, batches, lr: fit(m, loss, batches, 0.9 * lr),
    }
    for says, answer in wrong.items():
        refuses(training.build, answer, says=says)
