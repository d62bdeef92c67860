"""The committed weights are those of the recipe, and do what the page says of them."""

import pytest
import torch

from attend.recipes.coin import CoinRecipe
from attend.tasks import coin


def test_committed_weights_are_close_to_the_exact_rule():
    flips, _ = coin.sample(4_000, 21, torch.Generator().manual_seed(5))
    seen, coming = flips[:, :-1], flips[:, 1:]
    exact = (seen.cumsum(1) + 1) / (torch.arange(1, 21) + 2)
    with torch.no_grad():
        gap = coin.cost(CoinRecipe().load()(seen)[0], coming) - coin.cost(exact.logit(), coming)
    assert -0.001 < gap < 0.002


def test_a_short_training_is_repeatable_and_learns():
    runs = [CoinRecipe(steps=30, batch=32).train() for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert runs[0][1].losses[-1] < 0.68


def test_another_seed_is_another_run():
    one, two = (CoinRecipe(steps=2, batch=8, seed=seed).train()[1].losses for seed in (0, 1))
    assert one != pytest.approx(two, abs=1e-6)
