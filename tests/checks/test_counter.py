"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
import torch
import torch.nn.functional as F

from attend.checks import counter


def stub(*_): ...


def each(logits, counts):
    return F.cross_entropy(logits.flatten(0, 1), counts.flatten(), reduction="none").view(counts.shape)


def auc(feature, label, tie=0.5, better=True):
    over = feature[label][:, None] - feature[~label]
    area = ((over > 0) + tie * (over == 0)).float().mean()
    return max(area, 1 - area) if better else area


RIGHT = {
    counter.surprise: lambda logits, counts: each(logits, counts).mean(),
    counter.apart: auc,
    counter.gated: lambda h, entered: (1 - entered, min(h + 0.05, 1)),
}


def no_ties(feature, label):
    over = feature[label][:, None] - feature[~label]
    return max((over > 0).float().mean(), (over < 0).float().mean())


def ties_won(feature, label):
    over = feature[label][:, None] - feature[~label]
    return max((over >= 0).float().mean(), (over <= 0).float().mean())


WRONG = {
    "not the last one alone": (counter.surprise, lambda x, n: each(x, n)[:, -1].mean()),
    "not their sum": (counter.surprise, lambda x, n: each(x, n).sum()),
    "over the series too": (counter.surprise, lambda x, n: each(x, n).mean(1).sum()),
    "over the steps too": (counter.surprise, lambda x, n: each(x, n).sum(1).mean()),
    "this is the mean chance": (counter.surprise, lambda x, n: (-each(x, n)).exp().mean()),
    "the sign is the other one": (counter.surprise, lambda x, n: -each(x, n).mean()),
    "over the last axis": (
        counter.surprise,
        lambda x, n: -x.log_softmax(1).gather(2, n[..., None]).mean(),
    ),
    "put a softmax before": (counter.surprise, lambda x, n: -x.gather(2, n[..., None]).mean()),
    "the mean surprise is": (counter.surprise, lambda x, n: each(x, n).mean() + 1),
    "the answer must be a number": (counter.surprise, lambda x, n: each(x, n)),
    "of both directions": (counter.apart, lambda f, y: auc(f, y, better=False)),
    "neither won nor lost": (counter.apart, no_ties),
    "an equal value is no win": (counter.apart, ties_won),
    "with label": (counter.apart, lambda f, y: 0.123),
    "lies between 0 and 1": (counter.gated, lambda h, now: (2, 0)),
    "comes out of tanh": (counter.gated, lambda h, now: (1 - now, 2 * now)),
    "one entrance adds 1/20": (counter.gated, lambda h, now: (1 - now, h + now)),
    "or the candidate gets in": (counter.gated, lambda h, now: (0, h + 0.05 * now)),
    "z = 1 keeps the old count": (counter.gated, lambda h, now: (1, h + 0.05 * now)),
    "must hold the old count too": (counter.gated, lambda h, now: (1 - now, 0.05)),
    "only a part of the candidate": (counter.gated, lambda h, now: (1 - now / 2, h + 0.05)),
    "got 2 / 20": (counter.gated, lambda h, now: (1 - now, h + 0.1)),
    "the answer must be 2 values": (counter.gated, lambda h, now: (1, 0, 0)),
}


@pytest.mark.parametrize("check", RIGHT, ids=lambda check: check.__name__)
def test_the_solution_is_right(check):
    assert check(RIGHT[check]).state == "right"


@pytest.mark.parametrize("message", WRONG)
def test_a_typical_wrong_answer_is_told_by_name(message):
    check, answer = WRONG[message]
    outcome = check(answer)
    assert outcome.state == "wrong"
    assert message in outcome.says


@pytest.mark.parametrize("check", RIGHT, ids=lambda check: check.__name__)
def test_the_stub_is_not_there_yet(check):
    assert check(stub).state == "not yet"


def test_other_gates_that_count_are_right_too():
    half = counter.gated(lambda h, entered: (1 - entered / 2, h + 0.1 * entered if entered else 0.7))
    assert half.state == "right"
    assert torch.tensor(0.5) == auc(torch.zeros(4), torch.tensor([True, False, True, False]))
