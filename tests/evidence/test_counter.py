"""What page counter measures is what its sentences are about."""

import pytest
import torch
from sklearn.metrics import roc_auc_score

from attend.evidence.counter import auc, best_unit, linear_r2, transplanted
from attend.gating.counter import LearnedCounter, Stacked
from attend.gating.gru import GRU
from attend.tasks import crossings


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_auc_agrees_with_a_library_and_takes_the_better_direction():
    feature = draw(80, 3)
    label = draw(80, seed=1) < feature[:, 0]
    expected = [roc_auc_score(label.numpy(), column.numpy()) for column in feature.T]
    assert auc(feature, label).tolist() == pytest.approx([max(a, 1 - a) for a in expected], abs=1e-6)
    torch.testing.assert_close(auc(-feature, label), auc(feature, label))


def test_the_best_unit_is_chosen_on_the_first_half_and_judged_on_the_second():
    label = draw(40, 9) > 0
    known, noise = label + 0.1 * draw(40, 9, seed=1), draw(40, 9, seed=2)
    half = torch.cat([noise[:20], known[20:]])  # says nothing in the half on which it would be chosen
    assert best_unit(torch.stack([half, known], dim=2), label) > 0.99
    assert best_unit(noise[:, :, None], label) < 0.6


def test_a_mere_clock_explains_nothing_of_the_count():
    _, counts = crossings.sample(200, 20, generator=torch.Generator().manual_seed(0))
    clock = torch.arange(20.0).expand(200, 20) + 0.01 * draw(200, 20)  # without noise it would be no column at all
    assert linear_r2(torch.stack([clock, clock**2], dim=2), counts) == pytest.approx(0, abs=0.01)
    assert linear_r2(torch.stack([3 - 2.0 * counts, clock], dim=2), counts) == pytest.approx(1)


def test_a_transplant_changes_what_the_transplanted_layer_says():
    torch.manual_seed(0)
    model = LearnedCounter(Stacked(GRU, 1, 5, 2))
    x, counts = crossings.sample(2000, 30, generator=torch.Generator().manual_seed(1))
    model.stack.layers[1].from_input.weight.data.zero_()  # the upper layer hears nothing from the lower one
    with torch.no_grad():
        found = transplanted(model, x, counts, at=27)
    assert found["lower"] == 0
    assert found["upper"] == found["both"]
    assert found["upper"] == pytest.approx(0, abs=0.1)
    assert found["same count"] == pytest.approx(0, abs=0.1)


def test_a_unit_that_is_constant_knows_nothing():
    assert auc(torch.zeros(10, 1), torch.arange(10) < 4).tolist() == [0.5]
