"""What is measured of readers of glimpses: means over groups of distances, the same numbers in all claims."""

import pytest

from attend.evidence import glimpse
from attend.recipes.glimpse import GlimpseRecipe
from attend.tasks import search


@pytest.fixture(autouse=True)
def untaught(monkeypatch):
    glimpse.reader.cache_clear()
    canvases = search.canvases
    monkeypatch.setattr(search, "canvases", lambda part, many, generator: canvases(part, 1_000, generator))
    monkeypatch.setattr(GlimpseRecipe, "train", lambda recipe, lessons: (recipe.build(), None))
    yield
    glimpse.reader.cache_clear()


def test_an_untaught_reader_guesses_at_every_distance_and_all_claims_read_it_alike():
    near, both, next_place = glimpse.near(0), glimpse.both(0), glimpse.next_place(0)
    for way in glimpse.CROPS:
        assert all(0 <= near[f"{way}, group {group}"] < 0.35 for group in range(glimpse.GROUPS))
        assert near[f"{way}, within 4 pixels"] == both[f"{way}, on it"] == near[f"{way}, group 0"]
        off = sum(near[f"{way}, group {group}"] for group in (4, 5, 6)) / 3
        assert both[f"{way}, off it"] == pytest.approx(off)
        then = [next_place[f"{way}, group {group}"] for group in range(glimpse.GROUPS)]
        assert then[0] < then[3] < then[6]  # its steps lead nowhere: who is far off stays far off
        assert next_place[f"{way}, 20 to 28 pixels off"] == pytest.approx((then[5] + then[6]) / 2)
    assert both["lost to the sharp crop, on it"] == pytest.approx(
        both["one sharp crop, on it"] - both["three scales, on it"]
    )
