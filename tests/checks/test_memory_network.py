"""Each checker knows the solution, the typical wrong answers, and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import memory_network


def test_newest():
    accepts(memory_network.newest, math.log(19))
    accepts(memory_network.newest, torch.tensor(2.944))
    accepts(memory_network.newest, 2.94)
    refuses(memory_network.newest, 19, says="take a logarithm")
    refuses(memory_network.newest, math.log(20), says="95 to 5")
    refuses(memory_network.newest, math.log10(19), says="not of 10")
    refuses(memory_network.newest, math.log2(19), says="not of 2")
    refuses(memory_network.newest, math.log(0.95), says="sum of both")
    refuses(memory_network.newest, 1.0, says="0.95")
    refuses(memory_network.newest, "much", says="number")


def read(u, keys, values, mask, fill=-torch.inf):
    p = (keys @ u[..., None])[..., 0].masked_fill(~mask, fill).softmax(1)
    return u + (p[:, None] @ values)[:, 0], p


def test_hop():
    accepts(memory_network.hop, read)
    accepts(memory_network.hop, lambda *given: [part.numpy() for part in read(*given)])
    refuses(memory_network.hop, lambda *given: read(*given)[0], says="two things")
    refuses(memory_network.hop, lambda u, k, v, mask: read(u, k, v, mask | True), says="empty slots")
    refuses(memory_network.hop, lambda u, k, v, mask: read(u, k, v, mask, 0.0), says="like any other")
    refuses(memory_network.hop, lambda u, k, v, mask: read(u, v, v, mask), says="with the values")
    refuses(memory_network.hop, lambda u, k, v, mask: read(u, k, k, mask), says="handed over")
    refuses(memory_network.hop, lambda u, *more: (read(u, *more)[0] - u, read(u, *more)[1]), says="output o alone")

    def after(u, keys, values, mask):
        p = (keys @ u[..., None])[..., 0].softmax(1) * mask
        return u + (p[:, None] @ values)[:, 0], p

    refuses(memory_network.hop, after, says="after the softmax")


def passed(f, gates, cell, turned=False, keep=True, shrink=False, back=False):
    h = torch.zeros_like(f[:, 0])
    steps = range(f.shape[1])
    for n in reversed(steps) if back else steps:
        g = 1 - gates[:, n, None] if turned else gates[:, n, None]
        h = cell(g * f[:, n], h) if shrink else g * cell(f[:, n], h) + keep * (1 - g) * h
    return h


def test_episode():
    accepts(memory_network.episode, passed)
    refuses(memory_network.episode, lambda *given: passed(*given, turned=True), says="wrong way round")
    refuses(memory_network.episode, lambda *given: passed(*given, keep=False), says="not kept")
    refuses(memory_network.episode, lambda *given: passed(*given, shrink=True), says="does not shrink")
    refuses(memory_network.episode, lambda *given: passed(*given, back=True), says="first sentence to the last")
    refuses(memory_network.episode, lambda f, gates, cell: f[:, 0], says="from h = 0")


class Mine(nn.Module):
    def __init__(self, vocabulary, slots, hops=3, left_out="", width=32):
        super().__init__()
        self.left_out = left_out
        self.words = nn.ParameterList(0.1 * torch.randn(vocabulary, width) for _ in range(hops + 1))
        self.time = nn.ParameterList(0.1 * torch.randn(slots, width) for _ in range(hops + 1))

    def embed(self, i, x):
        return (self.words[i][x] * (x > 0)[..., None]).sum(-2)

    def forward(self, story, question, linear):
        there, u = (story > 0).any(2), self.embed(0, question)
        if self.left_out == "question":
            u = torch.zeros_like(u) + 0.1
        for i in range(len(self.words) - 1):
            keys, values = (self.embed(j, story) + self.time[j] * (self.left_out != "time") for j in (i, i + 1))
            scores = (keys @ u[..., None])[..., 0]
            if linear and self.left_out != "linear":
                p = scores * there
            else:
                p = scores.masked_fill(~there, -torch.inf).softmax(1)
            u = u + (p[:, None] @ values)[:, 0]
        return u @ self.words[-1].T


@pytest.mark.parametrize(
    ("left_out", "says"), [("question", "first query"), ("time", "temporal encoding"), ("linear", "without a softmax")]
)
def test_build_names_the_part_that_is_left_out(left_out, says):
    refuses(memory_network.build, lambda *sizes: Mine(*sizes, left_out=left_out), says=says)


@pytest.mark.nightly
def test_build_asks_for_what_a_few_steps_do_not_reach(monkeypatch):
    monkeypatch.setattr(memory_network, "STEPS", 10)
    refuses(memory_network.build, Mine, says="90% are asked for")
    monkeypatch.setattr(memory_network, "ENOUGH", 0.0)
    accepts(memory_network.build, Mine)


@pytest.mark.nightly  # it trains twice, for ten seconds each
def test_build_accepts_the_solution_and_refuses_a_single_hop():
    accepts(memory_network.build, Mine)
    refuses(memory_network.build, lambda *sizes: Mine(*sizes, hops=1), says="three hops")
