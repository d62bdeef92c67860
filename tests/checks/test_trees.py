"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from torch import nn

from attend.checks import trees


def ok_weights(scores, edges):
    return torch.nan_to_num(scores.masked_fill(~edges, -torch.inf).softmax(dim=1))


def ok_kept(x, h, c, W, U, b):
    return (torch.sigmoid(W @ x + b + torch.einsum("klij,lj->ki", U, h)) * c).sum(dim=0)


class Loudest(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.own = nn.Linear(hidden_size, hidden_size)
        self.message = nn.Linear(hidden_size, hidden_size, bias=False)

    def messages(self, h, edges):
        said = self.message(h)[:, None].masked_fill(~edges[..., None], -torch.inf).amax(dim=2)
        return said.masked_fill(~edges.any(dim=2)[..., None], 0.0)

    def forward(self, h, edges):
        return torch.tanh(self.own(h) + self.messages(h, edges))


class Zeros(Loudest):
    def messages(self, h, edges):
        return (self.message(h)[:, None] * edges[..., None]).amax(dim=2)


class Everyone(Loudest):
    def messages(self, h, edges):
        return self.message(h)[:, None].expand(*edges.shape, -1).amax(dim=2)


class Lonely(Loudest):
    def messages(self, h, edges):
        return self.message(h)[:, None].masked_fill(~edges[..., None], -torch.inf).amax(dim=2)


class Turned(Loudest):
    def messages(self, h, edges):
        return super().messages(h, edges.mT)


class Linear(Loudest):
    def forward(self, h, edges):
        return self.own(h) + self.messages(h, edges)


class Mean(Loudest):
    def messages(self, h, edges):
        return edges / edges.sum(2, keepdim=True).clamp(min=1) @ self.message(h)


class Stub(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        ...

    def forward(self, h, edges): ...


class Biased(Loudest):
    def __init__(self, hidden_size):
        super().__init__(hidden_size)
        self.message = nn.Linear(hidden_size, hidden_size)


def loops(x, h, c, W, U, b):
    total = 0
    for k in range(len(h)):
        total = total + torch.sigmoid(W @ x + sum(U[k, m] @ h[m] for m in range(len(h))) + b) * c[k]
    return total


RIGHT = [
    (trees.rounds, (3, 2)),
    (trees.rounds, (torch.tensor(3), 2.0)),
    (trees.weights, (ok_weights,)),
    (trees.weights, (lambda s, e: ok_weights(s, e).double(),)),
    (trees.weights, (lambda s, e: ok_weights(s, e).numpy(),)),
    (trees.weights, (lambda s, e: ok_weights(s, e).tolist(),)),
    (trees.kept, (ok_kept,)),
    (trees.kept, (loops,)),
    (trees.kept, (lambda *parts: ok_kept(*parts).numpy(),)),
    (trees.maximum, (Loudest,)),
]
WRONG = [
    (trees.rounds, (2, 1), "in between"),
    (trees.rounds, (4, 2), "shorter way"),
    (trees.rounds, (3, 3), "from 3 to 5"),
    (trees.weights, (lambda s, e: s.softmax(1),), "everyone is read"),
    (trees.weights, (lambda s, e: s.softmax(1) * e,), "no longer add up to 1"),
    (trees.weights, (lambda s, e: (s * e).softmax(1),), "score of 0"),
    (trees.weights, (lambda s, e: s.masked_fill(~e, -torch.inf).softmax(1),), "is nan"),
    (trees.weights, (lambda s, e: s.masked_fill(~e, -1e9).softmax(1),), "large negative number"),
    (trees.weights, (lambda s, e: ok_weights(s, ~e),), "wrong way round"),
    (trees.weights, (lambda s, e: ok_weights(s.T, e.T).T,), "columns"),
    (trees.weights, (lambda s, e: e / e.sum(1, keepdim=True).clamp(min=1),), "scores are not used"),
    (trees.weights, (lambda s, e: (s.exp() * e) / (s.exp() * e).sum(1, keepdim=True).clamp(min=1e-9),), "infinite"),
    (trees.kept, (lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U.transpose(0, 1), b),), "exchanged"),
    (trees.kept, (lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U.mT, b),), "turned around"),
    (trees.kept, (lambda x, h, c, W, U, b: ok_kept(x, h, h, W, U, b),), "not the hidden states"),
    (trees.kept, (lambda x, h, c, W, U, b: ok_kept(x, h, c, W, U, 0 * b),), "bias b"),
    (trees.kept, (lambda x, h, c, W, U, b: ok_kept(0 * x, h, c, W, U, b),), "own input"),
    (trees.kept, (lambda *parts: ok_kept(*parts) / len(parts[1]),), "do not average"),
    (trees.maximum, (Zeros,), "a 0 wins"),
    (trees.maximum, (Everyone,), "everyone is heard"),
    (trees.maximum, (Lonely,), "without neighbours"),
    (trees.maximum, (Turned,), "the other way round"),
    (trees.maximum, (Linear,), "tanh is missing"),
    (trees.maximum, (Mean,), "the mean of the messages"),
    (trees.maximum, (Biased,), "has a bias"),
    (trees.maximum, (Loudest(3),), "the class itself"),
    (trees.maximum, (nn.Linear,), "stopped with"),
]


@pytest.mark.parametrize(("check", "answer"), RIGHT)
def test_right_answers(check, answer):
    assert check(*answer).state == "right", check(*answer)


@pytest.mark.parametrize(("check", "answer", "says"), WRONG)
def test_wrong_answers_are_named(check, answer, says):
    outcome = check(*answer)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says


@pytest.mark.parametrize("check", [trees.weights, trees.kept])
def test_stubs(check):
    assert check(lambda *_: ...).state == check(...).state == "not yet"
    assert trees.rounds(..., ...).state == trees.maximum(Stub).state == "not yet"
