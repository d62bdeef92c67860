"""What is measured of lookers: gradients of two aims at one model, and shares by the way they are read."""

import pytest
import torch

from attend.evidence import soft_or_hard
from attend.recipes.look import LookRecipe, cost


def test_the_gradient_is_that_of_the_aim():
    model = LookRecipe(seed=3).build()
    found = soft_or_hard.gradient("bound", model)
    weight, step = model.query.weight, 1e-2
    largest = found[: weight.numel()].abs().argmax().item()
    examples, costs = LookRecipe().held_out(), []
    with torch.no_grad():
        for by in (step, -2 * step, step):
            weight.view(-1)[largest] += by
            costs.append(cost("bound", model, examples).item())
    assert found[largest].item() == pytest.approx((costs[0] - costs[1]) / (2 * step), rel=0.02)


def test_untaught_lookers_are_read_in_every_way_and_know_nothing(monkeypatch):
    soft_or_hard.taught.cache_clear()
    monkeypatch.setattr(LookRecipe, "train", lambda recipe, every: (recipe.build(), None))
    found = soft_or_hard.told(3, sure=True)
    soft_or_hard.taught.cache_clear()
    readings = ["largest", *(f"{by}{nats}" for by in ("mean", "drawn", "mixture") for nats in ("", ", nats"))]
    assert set(found) == {f"{way}, {reading}" for way in ("soft", "bound") for reading in readings}
    assert all(0 <= found[f"{way}, drawn"] <= 0.5 for way in ("soft", "bound"))
    assert found["soft, drawn"] == found["bound, drawn"]  # the same first weights
