"""What page modern measures is what its sentences are about; who was trained on nothing is equal to all others."""

import pytest

from attend.evidence import modern
from attend.recipes import modern as recipes

ASKED = []


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    def train(recipe):
        ASKED.append((recipe.kind, recipe.steps))
        return recipes.build(recipe.kind, recipe.seed)

    ASKED.clear()
    modern.loss.cache_clear()
    monkeypatch.setattr(recipes.ModernRecipe, "train", train)
    monkeypatch.setattr(modern, "nats", lambda model, part: recipes.nats(model, part, 2))
    yield
    modern.loss.cache_clear()


CLAIMS = [modern.norm, modern.swiglu, modern.rope, modern.gqa, modern.together, modern.longer]


@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.name for claim in CLAIMS])
def test_an_untrained_model_is_near_a_blind_guess(claim):
    found = claim(0)
    assert all(3.9 < value < 4.6 for name, value in found.items() if not name.startswith(("nats lost", "gain")))


def test_what_fewer_keys_cost_is_a_difference():
    found = modern.gqa(1)
    assert found["nats lost with 2 heads of keys"] == found["2 heads of keys"] - found["4 heads of keys"]


def test_each_side_is_trained_for_what_its_name_says():
    modern.longer(0)
    assert ASKED == [("2017", 400), ("2017", 1200), ("today", 400), ("today", 1200)]
    modern.norm(0)
    assert ASKED[4:] == [("rmsnorm", 400)]  # the other side is known already
