"""What page priors measures is what its sentences are about; networks at their start know nothing."""

import pytest

from attend.evidence import priors
from attend.recipes.priors import CardsRecipe, RecallRecipe


@pytest.fixture(autouse=True)
def hardly_trained(monkeypatch):
    priors.right.cache_clear()
    monkeypatch.setattr(priors, "right", lambda *named: CardsRecipe(*named, steps=1).right(200))
    monkeypatch.setattr(priors, "RecallRecipe", lambda kind, lag, seed: RecallRecipe(kind, min(lag, 3), seed, steps=1))
    monkeypatch.setattr(priors, "recalled", lambda model, lag: 0.25)


@pytest.mark.nightly
def test_one_step_teaches_nobody_and_every_column_that_is_judged_is_there():
    found = priors.own.measure(0) if hasattr(priors.own, "measure") else priors.own(0)
    assert all(0.2 < value < 0.8 for value in found.values())
    assert {"pattern, convolution", "lift, best other", "match, attention, 1600 rows"} <= set(found)


def test_every_side_is_measured_in_order_and_shuffled():
    found = priors.shuffled(0)
    assert len(found) == 8
    assert "lift, dense, shuffled" in found


def test_three_recall_after_four_lags_and_one_longer():
    found = priors.lag(0)
    assert len(found) == 15
    assert "GRU, chrono, trained at 100, asked after 400" in found
