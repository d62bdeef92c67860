"""What page what_matters measures: every column that a rule asks for; a run that claims share is made once."""

import pytest
import torch

from attend import evidence
from attend.evidence import what_matters as page
from attend.recipes import what_matters as recipes
from attend.recipes.what_matters import ROWS, AblationRecipe, measured
from attend.tasks.pairs import Pairs

CLAIMS = ["heads", "size", "learned", "dropout", "smoothing", "rate"]
ALL = recipes.encoded


@pytest.fixture
def untrained(monkeypatch, tmp_path):
    """Models that know nothing, asked for twenty numbers; how often one was made."""
    made = []
    monkeypatch.setattr(AblationRecipe, "train", lambda recipe: made.append(recipe) or recipe.build().eval())
    monkeypatch.setattr(page, "RUNS", tmp_path / "runs.part")
    for module in (recipes, page):
        monkeypatch.setattr(module, "encoded", lambda part: Pairs(*(column[:20] for column in ALL(part))))
    return made


@pytest.mark.nightly
@pytest.mark.parametrize("name", CLAIMS)
def test_untrained_models_are_all_wrong(name, untrained):
    claim = getattr(page, name)
    found = claim(0)
    assert all(value > 90 for row, value in found.items() if row in ROWS)
    assert claim.judge([claim(seed) for seed in range(claim.rule.least)]).verdict


@pytest.mark.nightly
def test_a_run_that_claims_share_is_made_once(untrained):
    one = page.trained("base", 3)
    assert page.heads(3)["base"] == page.learned(3)["base"] == one["base"]
    assert [recipe.row for recipe in untrained].count("base") == 1
    page.trained("base", 4)
    assert len(untrained) == 6 + 1


@pytest.mark.nightly
def test_over_fitting_is_what_new_numbers_cost_more(untrained):
    found = page.trained("no dropout", 1)
    model = AblationRecipe("no dropout", 1).build().eval()
    source, mask, target, asked = recipes.encoded("train")
    with torch.no_grad():
        nats = torch.nn.functional.cross_entropy(model(source, mask, target)[asked], target[asked]).item()
    assert found["no dropout, over-fitting"] == pytest.approx(measured(model)[1] - nats)


def test_a_rate_of_its_own_is_another_run(untrained):
    names = set(page.rate(0))
    assert {"half the width, own rate", "no residuals", "no residuals, own rate"} <= names
    assert "half the width" not in names


def test_the_base_is_the_same_in_every_box():
    base = evidence.values("what_matters.heads")["base"]
    for name in CLAIMS[1:]:
        again = evidence.values(f"what_matters.{name}")["base"]
        assert again == base[: len(again)]


def test_every_row_was_trained():
    rows = {row for name in CLAIMS for row in evidence.values(f"what_matters.{name}")}
    assert set(ROWS) <= rows
