"""What is measured of the beginning of a training: the same model before and after, on the same canvases."""

import pytest

from attend.evidence import ram
from attend.recipes.ram import SearchRecipe


def test_a_training_that_does_nothing_changes_nothing(monkeypatch):
    monkeypatch.setattr(SearchRecipe, "train", lambda recipe: (recipe.build(), None))
    monkeypatch.setattr(ram, "held_out", lambda part, many, held_out=ram.held_out: held_out(part, 20))
    found = ram.learns(3)
    for what in ("right", "second glimpse off by"):
        assert found[f"{what}, step 0"] == pytest.approx(found[f"{what}, step 600"])
    assert 0 <= found["right, step 0"] < 0.5
    assert 0 < found["second glimpse off by, step 0"] < 60
