"""What is measured of readers of letters: one that nobody taught knows none of what is asked."""

import pytest

from attend.evidence import heads
from attend.recipes.heads import HeadsRecipe


@pytest.fixture(autouse=True)
def untaught(monkeypatch):
    monkeypatch.setattr(HeadsRecipe, "train", lambda recipe: (recipe.build(), None))


@pytest.mark.parametrize("claim", [heads.two, heads.several, heads.places], ids=["two", "several", "places"])
def test_an_untaught_reader_gets_nothing_whole(claim):
    assert all(0 <= share < 0.1 for share in claim(0).values())


def test_two_guesses_of_ten_are_seldom_both_letters():
    found = heads.which(0)
    assert found["both among its two best guesses"] < 0.35


def test_the_places_of_a_longer_row_are_counted_from_one():
    found = heads.longer(0)
    places = [found[f"place {place}"] for place in range(1, 23)]
    assert found["up to place 10"] == pytest.approx(sum(places[:10]) / 10)
    assert found["beyond place 12"] == pytest.approx(sum(places[12:]) / 10)
