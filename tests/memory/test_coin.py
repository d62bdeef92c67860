"""A tally is the exact memory of coin flips, and a learned memory is read in the same way."""

import itertools

import pytest
import torch
from scipy.stats import beta
from torch import nn

from attend.memory import coin
from attend.memory.coin import CoinRNN, StickyTally, Tally, read

EVERY = torch.tensor(list(itertools.product([0.0, 1.0], repeat=8)), dtype=torch.float64)
BIAS = (torch.arange(2_000, dtype=torch.float64) + 0.5) / 2_000


def next_heads(likelihood):
    """The exact probability of heads after 8 flips, from the probability of every series of 8 and 9 for each bias."""
    return (likelihood * BIAS).mean(1) / likelihood.mean(1)


def test_the_tally_predicts_what_brute_force_over_all_series_does():
    likelihood = torch.where(EVERY[:, :, None] == 1, BIAS, 1 - BIAS).prod(1)
    assert torch.allclose(read(Tally(), EVERY)[:, -1], next_heads(likelihood), atol=1e-6)


def test_the_sticky_tally_predicts_what_brute_force_over_all_series_does():
    again = EVERY[:, 1:] == EVERY[:, :-1]
    repeat = next_heads(torch.where(again[:, :, None], BIAS, 1 - BIAS).prod(1))
    exact = torch.where(EVERY[:, -1] == 1, repeat, 1 - repeat)
    assert torch.allclose(read(StickyTally(), EVERY)[:, -1], exact, atol=1e-6)


def test_whoever_ends_with_the_same_tally_predicts_the_same():
    last = read(Tally(), EVERY)[:, -1]
    assert all(last[EVERY.sum(1) == heads].unique().numel() == 1 for heads in range(9))


@pytest.mark.parametrize(("heads", "flips"), [(0, 0), (3, 5), (300, 500), (7, 7)])
def test_prediction_is_the_mean_of_the_beta_posterior(heads, flips):
    got = Tally().predict(torch.tensor([[heads, flips]], dtype=torch.float64)).item()
    assert got == pytest.approx(beta(heads + 1, flips - heads + 1).mean(), abs=1e-12)


def test_the_network_agrees_with_torch_in_value_and_gradient():
    torch.manual_seed(0)
    ours, theirs = CoinRNN(5).double(), nn.RNN(1, 5, batch_first=True).double()
    with torch.no_grad():
        theirs.weight_ih_l0[:], theirs.bias_ih_l0[:] = ours.from_input.weight, ours.from_input.bias
        theirs.weight_hh_l0[:], theirs.bias_hh_l0[:] = ours.from_hidden.weight, 0.0
    got = read(ours, EVERY[:7])
    wanted = torch.sigmoid(ours.head(theirs(EVERY[:7, :, None])[0])).squeeze(2)
    assert torch.allclose(got, wanted, atol=1e-12)
    mine = torch.autograd.grad(got.square().sum(), [ours.from_hidden.weight, ours.from_input.bias])
    torchs = torch.autograd.grad(wanted.square().sum(), [theirs.weight_hh_l0, theirs.bias_ih_l0])
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, torchs, strict=True))


@pytest.mark.parametrize("flip", [0.5, 2.0, -1.0, float("nan")])
def test_a_flip_is_heads_or_tails(flip):
    with pytest.raises(ValueError, match="flips: got"):
        read(Tally(), torch.tensor([[flip]]))


def calls():
    flips, x = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]]), torch.tensor([1.0, 0.0])
    tally, sticky = Tally(), StickyTally()
    counts, repeats = torch.tensor([[1.0, 2.0], [0.0, 2.0]]), torch.tensor([[1.0, 2.0, 1.0], [0.0, 2.0, 0.0]])
    return {
        tally.start: {"flips": flips},
        tally.step: {"x": x, "h": counts},
        tally.predict: {"h": counts},
        sticky.start: {"flips": flips},
        sticky.step: {"x": x, "h": repeats},
        sticky.predict: {"h": repeats},
        coin.CoinRNN: {"hidden_size": 4},
        coin.read: {"memory": Tally(), "flips": torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])},
    }
