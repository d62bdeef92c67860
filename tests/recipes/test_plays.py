import math

import pytest
import torch

from attend.recipes.plays import BURN_IN, SHIPPED, PlaysRecipe, trained
from attend.tasks import plays


@pytest.mark.nightly
def test_a_few_steps_already_learn_something():
    recipe = PlaysRecipe(H=32, steps=80, batch=16, T=16)
    model, history = recipe.train()
    assert len(history.losses) == 80
    assert recipe.measure(model, "validation") < 4.6
    again, _ = recipe.train()
    assert all(torch.equal(one, two) for one, two in zip(model.parameters(), again.parameters(), strict=True))


@torch.no_grad()
def test_bits_character_by_character(monkeypatch):
    recipe, few = PlaysRecipe(H=8), plays.pages("validation")[:20]
    monkeypatch.setattr(plays, "pages", lambda part: few)
    model, nats = recipe.build(), []
    for page in few[:, None]:
        log_probs = model(page[:, :-1])[0][0].log_softmax(-1).gather(1, page[0, 1:, None])
        nats.append(-log_probs[BURN_IN - 1 :])
    assert recipe.measure(model, "validation") == pytest.approx(torch.cat(nats).mean().item() / math.log(2), rel=1e-5)


@torch.no_grad()
def test_the_weights_that_come_with_the_package(monkeypatch):
    few = plays.pages("validation")[:20]
    monkeypatch.setattr(plays, "pages", lambda part: few)
    for seed in SHIPPED:
        assert PlaysRecipe().measure(trained(seed), "validation") < 2.4
