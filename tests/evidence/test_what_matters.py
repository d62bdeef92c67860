"""What page what_matters measures: every column that a rule asks for; and over-fitting is what it says."""

import pytest
import torch

from attend import evidence
from attend.evidence import what_matters as page
from attend.recipes.what_matters import ROWS, AblationRecipe, encoded, measured
from attend.tasks.pairs import Pairs

CLAIMS = ["heads", "size", "learned", "dropout", "smoothing", "rate"]


@pytest.mark.parametrize("name", CLAIMS)
def test_untrained_models_are_all_wrong_and_no_row_is_judged_better(name, monkeypatch):
    monkeypatch.setattr(AblationRecipe, "train", lambda recipe: recipe.build().eval())
    monkeypatch.setattr("attend.recipes.what_matters.encoded", few)
    monkeypatch.setattr(page, "encoded", few)
    claim = getattr(page, name)
    found = claim(0)
    assert all(value > 99 for row, value in found.items() if row in ROWS)
    assert claim.judge([claim(seed) for seed in claim.seeds]).verdict != "holds" or name == "learned"


def few(part):
    """Twenty numbers of a part."""
    return Pairs(*(column[:20] for column in encoded(part)))


def test_who_knows_the_training_by_heart_over_fits():
    model = AblationRecipe().build().eval()
    source, mask, target, asked = encoded("train")
    with torch.no_grad():
        nats = torch.nn.functional.cross_entropy(model(source, mask, target)[asked], target[asked]).item()
    assert page.over_fitted(model) == pytest.approx(measured(model)[1] - nats)


def test_the_base_is_the_same_in_every_box():
    base = evidence.values("what_matters.heads")["base"]
    for name in CLAIMS[1:]:
        again = evidence.values(f"what_matters.{name}")["base"]
        assert again == base[: len(again)]


def test_every_row_was_trained():
    rows = {row for name in CLAIMS for row in evidence.values(f"what_matters.{name}")}
    assert set(ROWS) <= rows
