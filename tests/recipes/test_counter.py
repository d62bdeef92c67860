"""Where counters start, what a short training makes of them, and a head that adds."""

import pytest
import torch

from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.recipes.counter import EQUAL, RATES, STEPS, CounterRecipe, SummedCounter


def test_all_have_as_many_weights_to_within_seven_percent():
    sizes = [sum(p.numel() for p in CounterRecipe(*kind, width).build().parameters()) for kind, width in EQUAL.items()]
    assert all(abs(size - 2465) < 0.07 * 2465 for size in sizes)
    assert {kind[:2] for kind in RATES} == set(EQUAL) - {("gru", 3)}


def test_longer_series_reach_counts_that_those_of_the_training_hardly_do():
    assert (next(CounterRecipe().batches())[1][:, -1] <= 6).all()
    assert CounterRecipe().test_set(3 * STEPS)[1][:, -1].double().mean() > 6


@pytest.mark.nightly
@pytest.mark.parametrize("readout", ["scalar", "softmax", "sum"])
def test_a_short_training_learns(readout):
    recipe = CounterRecipe(hidden_size=4, readout=readout, steps=25, num_layers=2, rate=0.05)
    before, after = recipe.build(), recipe.train()
    x, counts = recipe.test_set()
    near = [(model.count(x) - counts).abs().double().mean() for model in (before, after)]
    assert near[1] < 0.8 * near[0]


def test_a_summed_count_never_falls_and_grows_by_one_at_most():
    torch.manual_seed(0)
    model = SummedCounter(Stacked(GRU, 1, 4, 2))
    x = torch.randn(3, 9, 1)
    outputs, hidden = model(x)
    steps = outputs.diff(dim=1)
    assert steps.min() > 0
    assert steps.max() < 1
    torch.testing.assert_close(steps, LearnedCounter.forward(model, x)[0][:, 1:].sigmoid())
    assert len(hidden) == 2


@pytest.mark.parametrize(("field", "value"), [("layer", "tcn"), ("num_layers", 0), ("rate", -1.0), ("readout", "max")])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        CounterRecipe(**{field: value})
