"""The echo with a slow recurrent layer: two rates, the streams of the other echoes, and the same run for a seed."""

import torch

from attend.recipes.gradients import FROZEN_RATE
from attend.recipes.gradients_echo import SLOW_RATE, SlowEchoRecipe


def test_the_recurrent_layer_moves_and_moves_less_than_the_head():
    torch.manual_seed(0)
    moved = {}
    for rate in (SLOW_RATE, FROZEN_RATE):
        one, two = (SlowEchoRecipe(steps=steps, rate=rate).train() for steps in (10, 210))
        moved[rate] = (one.rnn.from_hidden.weight - two.rnn.from_hidden.weight).abs().max().item()
    assert 0 < 10 * moved[SLOW_RATE] < moved[FROZEN_RATE]


def test_a_seed_gives_the_same_run_and_another_seed_another():
    runs = [SlowEchoRecipe(seed=seed, steps=100).train().head.weight for seed in (1, 1, 2)]
    assert torch.equal(runs[0], runs[1])
    assert not torch.equal(runs[0], runs[2])
