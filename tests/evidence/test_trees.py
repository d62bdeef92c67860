"""What page trees measures is what its sentences are about."""

import pytest

from attend.evidence import trees
from attend.recipes.trees import ListsRecipe, lists_of_depth


@pytest.fixture
def untrained(monkeypatch):
    """Every model as it starts, and few lists."""
    monkeypatch.setattr(ListsRecipe, "train", ListsRecipe.build)
    monkeypatch.setattr(trees, "lists_of_depth", lambda level, count: lists_of_depth(level, count=12))


def test_what_is_lost_is_the_way_from_two_levels_to_four(untrained):
    found = trees.deeper(7)
    for reader in ("tree", "chain"):
        assert found[f"lost by {reader}"] == found[f"{reader}, level 2"] - found[f"{reader}, level 4"]
    assert len(found) == 2 * len(trees.LEVELS) + 2


def test_both_kinds_of_gate_start_from_the_same_weights():
    one, each = (ListsRecipe(reader, 7).build().state_dict() for reader in ("one_gate", "tree"))
    assert all((one[name] == each[name]).all() for name in each)
