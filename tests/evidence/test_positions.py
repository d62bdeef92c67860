"""What page positions measures is what its sentences are about; who was not trained knows none of what is asked."""

import pytest
import torch

from attend.evidence import positions
from attend.recipes.positions import BackRecipe, PlaysRecipe
from attend.transformers.positioned import POSITIONS


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    for recipe in (BackRecipe, PlaysRecipe):
        monkeypatch.setattr(recipe, "train", lambda recipe: recipe.build())


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["order", "window", "exact"])
def test_who_was_not_trained_guesses(name):
    assert all(0 <= share < 0.3 for share in getattr(positions, name)(0).values())


@pytest.mark.nightly
def test_groups_of_positions_are_means_of_their_own_positions():
    found = positions.longer(0)
    for kind in POSITIONS:
        groups = [found[f"{kind}, up to {last}"] for last in (4, 8, 12, 16)]
        assert found[f"{kind}, positions 4 to 16"] == pytest.approx((groups[0] + 4 * sum(groups[1:])) / 13)
        if kind != "learned":
            groups = [found[f"{kind}, up to {last}"] for last in range(20, 65, 4)]
            assert found[f"{kind}, positions 17 to 64"] == pytest.approx(sum(groups) / 12)


def test_who_sees_one_character_alone_loses_nothing_by_a_longer_text():
    model = PlaysRecipe("none").build()
    for _, attention, _, _ in model.layers:
        attention.out.weight.data.zero_()
    whole, pieces = positions.beyond(model, 20)
    assert whole == pytest.approx(pieces, abs=1e-4)


def test_a_probe_finds_a_position_that_is_there_and_none_that_is_not():
    x = torch.randn(30, 32, 4, generator=torch.Generator().manual_seed(0))
    assert positions.misses(x[:20], x[20:]) == pytest.approx(8, abs=0.5)
    x[..., 1] = torch.arange(32.0)
    assert positions.misses(x[:20], x[20:]) < 0.01


def test_states_are_those_of_the_model():
    model = PlaysRecipe("none").build()
    found = positions.states(model, "test", 3)
    rows = positions.plays.stream("test")[torch.arange(3)[:, None] * 150 + torch.arange(32)]
    torch.testing.assert_close(model.output(model.norm(found[-1])), model(rows))
    assert len(found) == 3
