import json

import pytest
import torch

from attend.recipes import bidirectional
from attend.recipes.bidirectional import PlacesRecipe


@pytest.mark.nightly
@pytest.mark.parametrize("direction", bidirectional.DIRECTIONS)
def test_a_few_steps_lower_the_cost(direction):
    model, history = PlacesRecipe(direction=direction, steps=25).train()
    assert sum(history.losses[-5:]) < 0.8 * sum(history.losses[:5])
    assert set(PlacesRecipe().measure(model, "validation")) == {"place", "column"}


def test_all_readers_have_as_many_weights():
    weights = [sum(p.numel() for p in PlacesRecipe(direction=d).build().parameters()) for d in bidirectional.DIRECTIONS]
    assert max(weights) - min(weights) < 20


def test_the_weights_that_came_with_the_package_place_digits():
    model = PlacesRecipe().load()
    found = PlacesRecipe().measure(model, "validation")
    assert min(found.values()) > 0.99
    with pytest.raises(ValueError, match="direction: got 'left'"):
        PlacesRecipe(direction="left").load()
    with pytest.raises(ValueError, match="direction: got 'up'"):
        PlacesRecipe(direction="up")


def test_what_was_recorded_is_whole():
    found = bidirectional.recorded()
    assert set(found) == set(bidirectional.DIRECTIONS)
    assert all(len(runs) == len(bidirectional.SEEDS) for runs in found.values())
    assert all(0 <= share <= 1 for runs in found.values() for run in runs for share in run.values())


def test_export_trains_each_reader_once_a_seed(monkeypatch, tmp_path):
    made = []

    def train(self):
        made.append((self.direction, self.seed))
        return self.build(), None

    monkeypatch.setattr(PlacesRecipe, "train", train)
    monkeypatch.setattr(PlacesRecipe, "measure", lambda self, model, part="test": {"place": 0.5, "column": 0.5})
    monkeypatch.setattr(bidirectional, "WEIGHTS", tmp_path)
    bidirectional.export()
    assert made == [(d, seed) for d in bidirectional.DIRECTIONS for seed in bidirectional.SEEDS]
    assert len(json.loads((tmp_path / "bidirectional.json").read_text())["test"]["both"]) == 3
    assert torch.isfinite(PlacesRecipe().load().embed.weight).all()
