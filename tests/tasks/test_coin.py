"""Coins that a network is trained and tested on."""

import torch

from attend.tasks import coin


def test_biases_are_even_and_flips_follow_them():
    flips, bias = coin.sample(20_000, 50, torch.Generator().manual_seed(0))
    assert set(flips.unique().tolist()) == {0.0, 1.0}
    assert abs(bias.mean() - 0.5) < 0.01
    assert abs(bias.var() - 1 / 12) < 0.003
    assert (flips.mean(1) - bias).abs().mean() < 0.06


def test_sticky_coins_repeat_as_often_as_they_say():
    flips, stickiness = coin.sample_sticky(20_000, 50, torch.Generator().manual_seed(0))
    repeats = (flips[:, 1:] == flips[:, :-1]).float().mean(1)
    assert (repeats - stickiness).abs().mean() < 0.06
    assert abs(flips[:, 0].mean() - 0.5) < 0.02


def test_the_same_seed_gives_the_same_coins():
    one, two = (coin.sample(3, 9, torch.Generator().manual_seed(4))[0] for _ in range(2))
    assert torch.equal(one, two)


def test_spell():
    assert coin.spell(torch.tensor([1.0, 0.0, 1.0])) == "H T H"


def calls():
    FLIPS = torch.tensor([[1.0, 0.0, 1.0]])
    return {
        coin.sample: {"batch": 2, "T": 3, "generator": torch.Generator()},
        coin.sample_sticky: {"batch": 2, "T": 3, "generator": torch.Generator()},
        coin.spell: {"flips": FLIPS[0]},
    }
