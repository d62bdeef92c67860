"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import scores


def with_one(query):
    return torch.cat([query, torch.ones(1)])


def with_length(keys):
    return torch.cat([keys, -keys.square().sum(dim=1, keepdim=True) / 2], dim=1)


class Deeper(nn.Module):
    bias, last = True, True

    def __init__(self, query_size, key_size):
        super().__init__()
        self.W, self.U = nn.Linear(query_size, 32, bias=self.bias), nn.Linear(key_size, 32, bias=False)
        self.deep = nn.Sequential(nn.Tanh(), nn.Linear(32, 32, bias=self.bias), nn.Tanh(), nn.Linear(32, 1, bias=False))

    def forward(self, queries, keys):
        return self.deep(self.W(queries)[:, :, None] + self.U(keys)[:, None])[..., 0]


def test_solutions():
    accepts(scores.disagree, (1.0, 0.0), (3.0, 3.0), (1.0, 0.0))
    accepts(scores.nearest, with_one, with_length)
    assert scores.own(Deeper).state == "right"
    assert scores.own(...).state == "not yet"


def test_other_right_answers_are_right():
    in_numpy = scores.nearest(
        lambda q: np.array([2 * q[0], 2 * q[1], -1.0]), lambda k: np.c_[k.numpy(), (k.numpy() ** 2).sum(1)]
    )
    assert in_numpy.state == "right", in_numpy
    five = scores.nearest(
        lambda q: [q[0].item(), q[1].item(), 1.0, 1.0, 9.0],
        lambda k: [[a, b, -a * a / 2, -b * b / 2, 0.0] for a, b in k.tolist()],
    )
    assert five.state == "right", five

    class Joined(nn.Module):
        def __init__(self, query_size, key_size):
            super().__init__()
            self.net = nn.Sequential(
                nn.Linear(query_size + key_size, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)
            )

        def forward(self, queries, keys):
            (B, T, _), S = queries.shape, keys.shape[1]
            pairs = torch.cat([queries[:, :, None].expand(B, T, S, -1), keys[:, None].expand(B, T, S, -1)], dim=3)
            return self.net(pairs).squeeze(3)

    assert scores.own(Joined).state == "right"
    for kind in (np.array, torch.tensor, list):
        assert scores.disagree(kind([1, 0]), kind([3, 3]), kind([1, 0])).state == "right"


@pytest.mark.parametrize(
    ("f", "g", "says"),
    [
        (lambda q: q, lambda k: k, "still the plain dot product"),
        (with_one, lambda k: torch.cat([k, k.square().sum(1, keepdim=True) / 2], 1), "taken away, not added"),
        (with_one, lambda k: torch.cat([k, -k.square().sum(1, keepdim=True)], 1), "counts half"),
        (with_one, lambda k: torch.cat([k, -k.norm(dim=1, keepdim=True) / 2], 1), "squared"),
        (with_one, lambda k: torch.cat([0 * k, -k.square().sum(1, keepdim=True)], 1), "not the query"),
        (lambda q: -with_one(q), with_length, "furthest away"),
        (lambda q: q, lambda k: k / k.norm(dim=1, keepdim=True), "a cosine"),
        (lambda q: -q, lambda k: k, "another key than the nearest"),
        (with_one, lambda k: k, "a tensor of shape (2,)"),
        (lambda q: q, lambda k: k[:, 0], "a tensor of shape"),
    ],
)
def test_wrong_features_are_named(f, g, says):
    outcome = scores.nearest(f, g)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says


def deeper(forward=None, **changes):
    return type("Other", (Deeper,), changes | ({"forward": forward} if forward else {}))


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (deeper(bias=False), "the score is odd"),
        (deeper(lambda self, q, k: Deeper.forward(self, q, k).softmax(2)), "before the softmax"),
        (deeper(lambda self, q, k: Deeper.forward(self, q, k).mT), "a tensor of shape"),
        (deeper(lambda self, q, k: Deeper.forward(self, q, k) - k.mean()), "its own query and key alone"),
        (deeper(lambda self, q, k: Deeper.forward(self, 0 * q, k)), "the query does not count"),
        (deeper(lambda self, q, k: Deeper.forward(self, q, 0 * k)), "the keys do not count"),
        (
            deeper(lambda self, q, k: (self.W(q)[:, :, None] + self.U(k)[:, None]).sum(3)),
            "the query adds the same to every score",
        ),
        (deeper(lambda self, q, k: q @ k.mT), "your module stopped with RuntimeError"),
        (nn.Bilinear, "your class stopped with TypeError"),
        (nn.Linear, "no layer from 32"),
        (Deeper(2, 2), "the class itself"),
    ],
)
def test_wrong_networks_are_named(made, says):
    outcome = scores.own(made)
    assert outcome.state == "wrong", outcome
    assert says in outcome.says


def test_a_class_in_which_nothing_was_written_is_not_there_yet():
    class Stub(nn.Module):
        def __init__(self, query_size, key_size):
            super().__init__()
            ...

        def forward(self, queries, keys): ...

    assert scores.own(Stub).state == "not yet"


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        (((1.0, 0.0), (1.0, 0.0), (3.0, 3.0)), "the other way round"),
        (((1.0, 0.0), (1.0, 0.0), (2.0, 0.0)), "make it longer"),
        (((1.0, 0.0), (3.0, 0.0), (1.0, 1.0)), "the cosine must prefer `other`"),
        (((0.0, 0.0), (3.0, 0.0), (1.0, 1.0)), "has no length"),
        (((1.0,), (3.0, 0.0), (1.0, 1.0)), "2 values"),
    ],
)
def test_wrong_vectors_are_named(answers, says):
    refuses(scores.disagree, *answers, says=says)
