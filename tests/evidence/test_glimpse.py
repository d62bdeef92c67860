"""What page glimpse measures is what its sentences are about."""

import pytest
import torch

from attend.evidence import glimpse
from attend.recipes.glimpse import GlimpseRecipe
from attend.tasks import search


@pytest.fixture(autouse=True)
def untrained(monkeypatch):
    resized = search.resized
    monkeypatch.setattr(search, "resized", lambda part, many, *rest: resized(part, 200, *rest))
    monkeypatch.setattr(GlimpseRecipe, "train", GlimpseRecipe.build)
    glimpse.trained.cache_clear()
    yield
    glimpse.trained.cache_clear()


@pytest.mark.nightly
def test_an_untrained_network_guesses_and_its_steps_lead_nowhere():
    found = glimpse.scales(0)
    assert found["three scales, named on the digit"] == found["three scales, named, group 0"] < 0.4
    assert found["sharp crop, left, group 1"] < found["sharp crop, left, group 6"]
    assert set(glimpse.place(0)) == {"window", "canvas and location", "three scales"}
    assert all(0 <= share < 0.4 for share in glimpse.sizes(0).values())
    assert glimpse.steps(0)["glimpse 1"] < 0.4


def test_tried_locations_estimate_the_gradient_of_a_reward_that_has_one(monkeypatch):
    goal = torch.tensor([[0.3, -0.4]])
    monkeypatch.setattr(glimpse, "glimpse", lambda images, at: at)
    monkeypatch.setattr(glimpse, "log_prob", lambda net, at, labels: at @ goal[0])
    noise = glimpse.SIGMA * torch.randn(2_000, 1, 2, generator=torch.Generator().manual_seed(0))
    found = glimpse.sampled(None, torch.zeros(1, 1, 1), None, torch.zeros(1, 2), noise)
    torch.testing.assert_close(found, goal, atol=0.06, rtol=0)
    monkeypatch.setattr(glimpse, "smooth_glimpse", lambda images, at: at)
    torch.testing.assert_close(glimpse.interpolated(None, None, None, torch.zeros(1, 2), noise[:3]), goal)


def test_a_direction_leads_to_the_side_of_the_goal():
    goal = torch.tensor([[1.0, 0.0]]).expand(4, 2)
    assert glimpse.towards(torch.tensor([[1.0, 5.0], [0.1, -9.0], [-0.1, 0.0], [0.0, 1.0]]), goal) == 0.5
