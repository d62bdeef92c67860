"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses
from torch.nn import functional as F

from attend.checks import coin
from attend.memory.coin import CoinRNN, StickyTally, Tally, read
from attend.tasks.coin import sample, sample_sticky


def merged(first, second):
    (m1, n1), (m2, n2) = first, second
    return (m1 * n1 + m2 * n2) / (n1 + n2), n1 + n2


class Sticky:
    def start(self, flips):
        zeros = flips.new_zeros(len(flips))
        return zeros, zeros, zeros - 1

    def step(self, x, h):
        repeats, flips, last = h
        return repeats + (x == last), flips + 1, x

    def again(self, repeats, flips):
        return (repeats + 1) / (flips.clamp(min=1) + 1)

    def predict(self, h):
        again = self.again(*h[:2])
        return torch.where(h[2] == 1, again, 1 - again)


class Fair(StickyTally):
    def predict(self, h):
        return super().predict(h).where(h[:, 1] > 0, 0.5)


def changed(**methods):
    return type("Changed", (Sticky,), methods)


def trained(draw=sample_sticky, steps=250):
    torch.manual_seed(0)
    network = CoinRNN(12)
    optimiser = torch.optim.Adam(network.parameters(), lr=0.01)
    for _ in range(steps):
        flips, _ = draw(128, 21)
        loss = F.binary_cross_entropy(read(network, flips[:, :-1]), flips[:, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return network


class Stub:
    def start(self, flips): ...

    def step(self, x, h): ...

    def predict(self, h): ...


def test_solutions_and_stubs():
    accepts(coin.tails, 4)
    accepts(coin.merge, merged)
    assert coin.sticky(Sticky).state == "right"
    assert {coin.sticky(answer).state for answer in (..., None, Stub)} == {"not yet"}
    assert {coin.build(answer).state for answer in (..., None, lambda: ..., lambda: None)} == {"not yet"}


def test_other_right_answers_are_right():
    for four in (4.0, np.int64(4), torch.tensor([4])):
        assert coin.tails(four).state == "right"
    for form in (np.float32, torch.tensor, lambda pair: [np.float32(part) for part in pair]):
        assert coin.merge(lambda a, b, form=form: form(merged(a, b))).state == "right"
    of = Sticky.predict
    for form in (torch.Tensor.numpy, torch.Tensor.tolist, torch.Tensor.double):
        assert coin.sticky(changed(predict=lambda self, h, form=form: form(of(self, h)))).state == "right"
    assert coin.sticky(Fair).state == "right"


@pytest.mark.nightly  # it trains for some seconds
def test_a_network_of_ones_own_is_trained():
    assert coin.build(trained).state == "right"
    refuses(coin.build, lambda: trained(sample), says="on sticky coins")
    refuses(coin.build, lambda: trained(steps=60), says="for longer")


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (coin.tails, 3, "equally probable"),
        (coin.tails, 2, "4/7"),
        (coin.tails, 6, "4/11"),
        (coin.tails, "4", "must be a number"),
        (coin.merge, lambda a, b: ((a[0] + b[0]) / 2, a[1] + b[1]), "plain average"),
        (coin.merge, lambda a, b: (a[0], a[1]), "the flips add up"),
        (coin.merge, lambda a, b: (a[0], a[1] + b[1]), "a proportion of"),
        (coin.merge, lambda a, b: (a[0] * a[1] + b[0] * b[1], a[1] + b[1]), "divide by the flips"),
        (coin.merge, lambda a, b: merged(a, b)[0], "2 values"),
        (coin.sticky, Tally, "no eye for repeats"),
        (coin.sticky, changed(start=lambda self, flips: [flips.new_zeros(len(flips))] * 3), "a start of zeros"),
        (coin.sticky, changed(again=lambda self, r, n: (r + 1) / (n + 2)), "n - 1"),
        (coin.sticky, changed(again=lambda self, r, n: (r + 1) / (n + 1)), "the first flip is fair"),
        (coin.sticky, StickyTally, "the first flip is fair"),
        (coin.sticky, changed(again=lambda self, r, n: r / (n - 1).clamp(min=1)), "rule of succession"),
        (coin.sticky, changed(predict=lambda self, h: self.again(*h[:2])), "probability of a repeat"),
        (coin.sticky, changed(step=lambda self, x, h: (h[0] + (x == h[2]), h[1] + 1, h[2])), "your memory says"),
        (coin.sticky, changed(predict=lambda self, h: h[0][:, None]), "shape (3, 1)"),
        (coin.sticky, changed(predict=lambda self, h: h[1] + 1), "between 0 and 1"),
        (coin.sticky, changed(step=lambda self, x, h: h[9]), "stopped with IndexError"),
        (coin.sticky, object, "has no start"),
        (coin.build, lambda: "half", "has no start"),
        (coin.build, StickyTally, "nothing that could be trained"),
        (coin.build, lambda: CoinRNN(3), "was it trained"),
    ],
)
def test_wrong_answers_are_told_apart(check, answer, says):
    refuses(check, answer, says=says)
