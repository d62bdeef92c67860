import json

import pytest

from attend.recipes import supervision
from attend.recipes.numbers import LONG, NumbersRecipe
from attend.tasks import numbers


def test_what_was_measured_is_whole():
    found = supervision.load()
    assert set(found) == {"reviews", "reviews, last", "numbers", "plays, one pass", "plays", "numbers, long"}
    for name, run in found.items():
        assert len(run["test"]) == len(supervision.SEEDS), name
        assert run["seconds"] > 0
    assert all(0.5 < value < 1 for value in found["reviews"]["test"])
    assert all(1 < value < 63 for value in found["plays"]["test"])
    assert all(len(run["places"]) == 17 for run in found["numbers, long"]["test"])


def test_by_digits_is_the_share_of_right_numbers():
    recipe = NumbersRecipe(digits=4, most=1_000)
    model = recipe.load()
    shares = supervision.by_digits(recipe, model, "validation")
    assert set(shares) == {"3", "4"}
    tests = [n for n in numbers.numbers("validation", 4, 1_000) if len(str(n)) == 3]
    assert shares["3"] == pytest.approx(recipe.exact(model, numbers.encode(tuple(tests))).double().mean().item())
    assert max(shares.values()) > 0.97


def test_by_place_is_the_share_of_right_pieces_given_the_true_ones():
    places = supervision.by_place(LONG, LONG.load(), "validation")
    assert len(places) == 17
    assert min(places[:3]) > 0.9
    assert max(places[13:]) < 0.9
    assert places[0] > places[16] + 0.2


def test_export_trains_each_recipe_once_a_seed(monkeypatch, tmp_path):
    made = []

    class Tiny(NumbersRecipe):
        def train(self):
            made.append(self.seed)
            return self.build(), None

    tiny = Tiny(digits=1)
    for name in ("ReviewsRecipe", "NumbersRecipe", "PlaysRecipe"):
        monkeypatch.setattr(supervision, name, lambda **kw: tiny)
    monkeypatch.setattr(supervision, "ONE_PASS", tiny)
    monkeypatch.setattr(supervision, "LONG", tiny)
    monkeypatch.setattr(supervision, "WEIGHTS", tmp_path)
    supervision.export()
    assert made == [0, 1, 2] * 6
    found = json.loads((tmp_path / "supervision.json").read_text())
    assert found["numbers"]["test"] == pytest.approx([0.0] * 3, abs=0.5)
