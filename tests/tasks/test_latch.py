"""The latch task: what it shows, what it asks, and what guessing costs."""

import math

import pytest
import torch

from attend.tasks import latch


def draw(seed=0):
    return torch.Generator().manual_seed(seed)


def test_one_symbol_then_nothing():
    x, symbol = latch.sample(500, 7, draw())
    assert x.shape == (500, 8, 4)
    assert torch.equal(x[:, 0].argmax(1), symbol)
    assert torch.equal(x[:, 0].sum(1), torch.ones(500))
    assert not x[:, 1:].any()


def test_all_symbols_are_equally_likely():
    symbol = latch.sample(40_000, 1, draw())[1]
    shares = torch.bincount(symbol, minlength=4) / 40_000
    assert (shares - latch.CHANCE).abs().max() < 0.01


def test_the_same_generator_draws_the_same_series():
    one, two = (latch.sample(9, 3, draw(4)) for _ in range(2))
    assert torch.equal(one[0], two[0])
    assert torch.equal(one[1], two[1])


def test_knowing_nothing_and_knowing_all():
    symbol = latch.sample(100, 1, draw())[1]
    assert latch.cost(torch.zeros(100, 4), symbol).item() == pytest.approx(latch.KNOWS_NOTHING) == math.log(4)
    sure = 50 * torch.nn.functional.one_hot(symbol, 4).float()
    assert latch.cost(sure, symbol).item() < 1e-6
    assert latch.right(sure, symbol) == 1
    assert latch.right(sure.roll(1, dims=1), symbol) == 0
    assert latch.right(torch.zeros(100, 4), symbol) == (symbol == 0).double().mean().item()


def test_the_example_reads():
    assert latch.example(lag=3) == "A . . . → A"


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: latch.sample(0, 3), "batch: got 0"),
        (lambda: latch.sample(3, 0), "lag: got 0"),
        (lambda: latch.cost(torch.zeros(2, 3), torch.zeros(2, dtype=torch.long)), "scores: got"),
        (lambda: latch.cost(torch.zeros(2, 4), torch.tensor([0, 4])), "symbols: got"),
        (lambda: latch.right(torch.zeros(2, 4), torch.zeros(3, dtype=torch.long)), "symbols: got"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    SYMBOLS = torch.tensor([0, 3, 1])
    return {
        latch.sample: {"batch": 3, "lag": 5, "generator": torch.Generator()},
        latch.cost: {"scores": torch.zeros(3, 4), "symbols": SYMBOLS},
        latch.right: {"scores": torch.zeros(3, 4), "symbols": SYMBOLS},
        latch.example: {"lag": 5, "seed": 0},
    }


def good():
    return {
        latch.example: {"seed": {"zero"}},
    }
