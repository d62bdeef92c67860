"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch import nn

from attend.checks import read
from attend.soft.read import SoftAttention


def stepped(*, hide="before", axis=1, ask="new", keys=None, context=None, goes_on="new", say="new", weights=None):
    """A decoder's step with one thing done in another way."""

    def step(token, h, all_h, mask, unit, speak):
        new = unit(token, h)
        scores = (all_h @ {"new": new, "old": h}[ask][:, :, None])[:, :, 0]
        if hide == "before":
            scores = scores.masked_fill(~mask, -torch.inf if axis == 1 else -1e9)
        if hide == "zero":
            scores = scores * mask
        alpha = scores.softmax(axis)
        if hide == "after":
            alpha = alpha * mask
        if weights is not None:
            alpha = weights(alpha, mask)
        made = context(alpha, all_h, new) if context else (alpha[:, :, None] * all_h).sum(1)
        states = {"new": new, "old": h}
        return speak(made, states[say]), states[goes_on], alpha

    return step


def ok_query(all_h, s):
    return 20 * all_h[s]


def test_solutions_and_stubs():
    accepts(read.step, stepped())
    accepts(read.query, ok_query)
    accepts(read.twins, ("abc", "cab"))
    for pair in (("aab", ["a", "b", "a"]), ("ha", "haha"), ("a", "aa")):
        assert read.twins(pair).state == "right"
    assert read.build(...).state == "not yet"


class Mine(nn.Module):
    """Soft attention with one thing done in another way."""

    def __init__(self, Q, K, width, *, hide="before", axis=2, learned=True, both=True, norm=1.0):
        super().__init__()
        self.q, self.k = nn.Linear(Q, width, bias=False), nn.Linear(K, width, bias=False)
        self.hide, self.axis, self.learned, self.both, self.norm = hide, axis, learned, both, norm

    def forward(self, query, key, value, mask):
        query, key = self.q(query), self.k(key)
        if not self.learned:
            query, key = query.detach(), key.detach() + 0 * self.k.weight.sum()
        scores = (
            query @ key.mT
            if self.both
            else self.q.weight.sum() * key.norm(dim=2)[:, None].expand(-1, query.shape[1], -1)
        )
        if self.hide == "before":
            scores = scores.masked_fill(~mask[:, None], -1e9)
        weights = scores.softmax(self.axis)
        if self.hide == "after":
            weights = weights * mask[:, None]
        return self.norm * weights @ value


def made(**options):
    return lambda Q, K, width: Mine(Q, K, width, **options)


@pytest.mark.nightly
def test_own_attention_is_trained():
    assert read.build(lambda Q, K, width: SoftAttention(Q, K, width)).state == "right"


@pytest.mark.nightly
def test_any_scale_of_the_start_is_trained():
    for seed in range(5):
        torch.manual_seed(seed)
        assert read.build(made()).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (made(hide="none"), "where mask is False"),
        (made(hide="after"), "not the weights after it"),
        (made(axis=1), "does the softmax run over the keys"),
        (made(norm=2.0), "nothing done to it afterwards"),
        (made(both=False), "same context"),
        (lambda Q, K, width: nn.Linear(Q, K), "stopped at"),
        (lambda Q, K, width: 3, "must return an nn.Module"),
        pytest.param(made(learned=False), "90 % are asked for", marks=pytest.mark.nightly),
    ],
)
def test_wrong_modules_are_named(answer, says):
    refuses(read.build, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (stepped(context=lambda a, all_h, h: a[:, :, None] * all_h), "add the weighted hidden states up"),
        (stepped(axis=0), "wrong axis: the weights"),
        (stepped(axis=0, hide="none"), "wrong axis, and padding"),
        (stepped(hide="none"), "padding was read"),
        (stepped(hide="after"), "less than 1"),
        (stepped(hide="zero"), "a score of 0 is not"),
        (stepped(ask="old"), "before the token was read"),
        (stepped(context=lambda a, all_h, h: h), "the decoder's own"),
        (stepped(context=lambda a, all_h, h: all_h[[0, 1], [4, 2]]), "last hidden state alone"),
        (stepped(weights=lambda a, seen: seen / seen.sum(1, keepdim=True)), "the same weight"),
        (stepped(weights=lambda a, seen: 2 * a), "must add up to 1, got 2.000"),
        (stepped(weights=lambda a, seen: torch.eye(5)[[0, 0]]), "not the softmax"),
        (stepped(context=lambda a, all_h, h: 0 * h), "did not get their mean"),
        (stepped(say="old"), "not on the old one"),
        (stepped(goes_on="old"), "goes on to the next step"),
        (stepped(context=lambda a, all_h, h: h[:, :2]), "takes two tensors of shape (2, 4)"),
        (lambda *_: 3, "must be 3 values"),
    ],
)
def test_wrong_steps_are_named(answer, says):
    refuses(read.step, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda all_h, s: all_h[s], "ask louder"),
        (lambda all_h, s: 20 * torch.eye(6)[s], "not with their numbers"),
        (lambda all_h, s: 20 * all_h[0], "the largest, 1.00, is on 0"),
        (lambda all_h, s: all_h, "shape (6,)"),
    ],
)
def test_wrong_queries_are_named(answer, says):
    refuses(read.query, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (("abc", "abc"), "the same; they must differ"),
        (("abc", "abd"), "different letters"),
        (("aab", "abb"), "not in the same proportions"),
        (("a", "b"), "different letters"),
        (((1, 2), (2, 1)), "two rows of letters"),
        ("abc", "must be 2 values"),
    ],
)
def test_wrong_twins_are_named(answer, says):
    refuses(read.twins, answer, says=says)
