"""What the page on backpropagation through time trains: sizes, landmarks, and that it can be repeated."""

import pytest
import torch

from attend.recipes.gradients import FROZEN_RATE, KINDS, LAG, Echo, EchoRecipe, RecallRecipe, TextRecipe
from attend.recipes.gradients_echo import SlowEchoRecipe
from attend.tasks.recall import KNOWS_NOTHING


def test_the_echo_of_a_perfect_model_is_right():
    class Perfect:
        def __call__(self, x, state):
            return torch.nn.functional.pad(x[:, :, 0], (LAG, 0))[:, : x.shape[1]], state

    assert EchoRecipe().accuracy(Perfect()) == 1


def test_an_echo_is_trained_the_same_way_twice():
    one, two = (EchoRecipe(10, seed=3, steps=100).train() for _ in range(2))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), two.parameters(), strict=True))


def test_at_the_rate_of_its_head_a_slow_echo_is_the_plain_one():
    rate = FROZEN_RATE
    plain, same = (kind(10, seed=3, steps=100, rate=rate).train() for kind in (EchoRecipe, SlowEchoRecipe))
    assert all(torch.equal(a, b) for a, b in zip(plain.parameters(), same.parameters(), strict=True))
    slow = SlowEchoRecipe(10, seed=3, steps=100).train()
    torch.manual_seed(3)
    moved = [(a - b).abs().max().item() for a, b in zip(slow.parameters(), Echo().parameters(), strict=True)]
    names = [name for name, _ in slow.named_parameters()]
    assert all((far > 0.001) == name.startswith("head") for far, name in zip(moved, names, strict=True))


@pytest.mark.parametrize("clip", [None, 0.1])
def test_recall_starts_from_knowing_nothing_and_gets_better_over_one_step(clip):
    start = RecallRecipe(1e-9, clip, steps=1)
    assert start.error(start.train()[0]) == pytest.approx(KNOWS_NOTHING, abs=0.02)
    short = RecallRecipe(0.4, clip, lag=1, steps=60)
    assert short.error(short.train()[0]) < 0.2


def test_the_four_language_models_have_about_as_many_weights():
    counts = [sum(p.numel() for p in TextRecipe(kind).build().parameters()) for kind in KINDS]
    assert max(counts) < 1.07 * min(counts)
