"""The committed weights are those of the recipe, and do what the page says of them."""

import pytest
import torch

from attend.memory.coin import StickyTally, Tally
from attend.recipes.coin import CoinRecipe, bits
from attend.tasks import coin


def test_committed_weights_are_close_to_the_exact_rule():
    flips, _ = coin.sample(4_000, 21, torch.Generator().manual_seed(5))
    gap = bits(CoinRecipe().load(), flips) - bits(Tally(), flips)
    assert -0.001 < gap.mean() < 0.005


def test_bits_are_those_of_what_came():
    flips = torch.tensor([[1.0, 1.0, 0.0]])
    assert bits(Tally(), flips).tolist() == pytest.approx([-torch.tensor(2 / 3).log2().item(), 2.0])


def test_on_sticky_coins_the_sticky_tally_costs_less():
    flips, _ = coin.sample_sticky(2_000, 21, torch.Generator().manual_seed(5))
    assert bits(StickyTally(), flips).mean() < bits(Tally(), flips).mean() - 0.1


def test_a_short_training_is_repeatable_and_another_seed_is_another_run():
    one, again, other = (CoinRecipe(steps=3, batch=8, seed=seed).train()[1].losses for seed in (0, 0, 1))
    assert one == again
    assert one != pytest.approx(other, abs=1e-6)
