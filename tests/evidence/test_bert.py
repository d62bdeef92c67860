"""What page BERT measures is what its sentences are about; who was trained on nothing is equal to all others."""

import pytest

from attend.evidence import bert
from attend.recipes import bert as recipes

ASKED = []


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    def train(recipe, callbacks=()):
        ASKED.append(recipe.kind)
        for watch in callbacks:
            watch.found = dict.fromkeys(watch.steps, 0.5)
        return recipe.build()

    def tune(encoder, task, labels, draw):
        return recipes.tune(encoder, task, labels, draw, steps=2)

    ASKED.clear()
    bert.pretrained.cache_clear()
    bert.tuned.cache_clear()
    monkeypatch.setattr(recipes.BertRecipe, "train", train)
    monkeypatch.setattr(bert, "tune", tune)
    yield
    bert.pretrained.cache_clear()
    bert.tuned.cache_clear()


def test_both_sides_are_looked_at_after_the_same_steps():
    found = bert.sides(0)
    assert ASKED == ["masked", "left to right"]
    assert len(found) == 2 * len(bert.STEPS)


CLAIMS = [bert.next_sentence, bert.labels, bert.counts, bert.longer]


@pytest.mark.nightly
@pytest.mark.parametrize("claim", CLAIMS, ids=[claim.name for claim in CLAIMS])
def test_who_has_learned_nothing_guesses(claim):
    found = claim(0)
    assert all(0.35 < value < 0.65 for name, value in found.items() if not name.startswith(("gain", "counts")))


@pytest.mark.nightly
def test_a_gain_is_a_difference_of_the_same_task():
    found = bert.next_sentence(1)
    assert ASKED == ["bert", "masked"]
    assert found["gain on pairs"] == found["pairs, with"] - found["pairs, without"]
