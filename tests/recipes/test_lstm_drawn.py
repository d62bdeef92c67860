"""Time scales are drawn as the paper draws them, and a run is repeated by its seed."""

import pytest
import torch

from attend.recipes.lstm_drawn import DrawnRecipe


def test_time_scales_are_drawn_uniformly_for_both_gates_or_for_one():
    scales = []
    for seed in range(4):
        both, alone = (DrawnRecipe(start, 50, seed).build().from_input.bias for start in ("chrono", "chrono_forget"))
        assert torch.equal(both[:16], -both[16:32])
        assert torch.equal(alone[16:32], both[16:32])
        assert not alone[:16].any()
        scales.append(1 + both[16:32].detach().exp())
    scales = torch.cat(scales)
    assert scales.min() >= 2 - 1e-3
    assert scales.max() <= 100 + 1e-3
    assert scales.mean().item() == pytest.approx(51, abs=10)


def test_a_short_training_recalls_and_is_repeated_by_its_seed():
    recipe = DrawnRecipe(lag=3, steps=60)
    one, two = (recipe.train() for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))
    assert recipe.accuracy(one) > 0.5
