"""Captioners on the shipped encoder: the same twice, every option does something, and the judge is right."""

from dataclasses import replace

import pytest
import torch

from attend.recipes import captioner
from attend.recipes.captioner import CaptionerRecipe, encoder, features, held_out, judge, trained
from attend.tasks import scenes


@pytest.fixture
def short(monkeypatch):
    """A pool of 128 scenes."""
    monkeypatch.setattr(captioner, "POOL", 128)
    for cached in (captioner._scenes, captioner.pool):
        cached.cache_clear()
    yield
    for cached in (captioner._scenes, captioner.pool):
        cached.cache_clear()


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_the_captioners_that_came_along_write_well(kind):
    found = judge(trained(kind), held_out(500))
    assert found["exact"] > 0.88
    assert found["weight"] > 0.95


def losses(recipe):
    found = []
    model = recipe.train(callbacks=[lambda step: found.append(step.loss)])
    return found, model


@pytest.mark.nightly
def test_training_can_be_repeated_and_every_option_changes_it(short):
    recipe = CaptionerRecipe("hard", steps=4, batch=16)
    assert losses(recipe)[0] == losses(recipe)[0]
    others = [
        {"baseline": "none"},
        {"baseline": "others"},
        {"entropy_weight": 0.5},
        {"reinforce_weight": 0.1},
        {"attention": "soft"},
        {"attention": "soft", "doubly": 1.0},
        {"attention": "none"},
        {"attention": "soft", "layer": "lower"},
    ]
    found = [losses(recipe)[0], *(losses(replace(recipe, **other))[0] for other in others)]
    assert len({tuple(one) for one in found}) == len(found)


def test_the_moving_baseline_is_that_of_the_batches_before():
    loss = captioner._Loss(CaptionerRecipe("hard"))
    captions = torch.zeros(4, scenes.LENGTH, dtype=torch.long)

    def outputs(log_p):
        log_p = torch.tensor(log_p)
        logits = torch.stack([log_p, (1 - log_p.exp()).log()]).expand(4, scenes.LENGTH, 2)
        return captioner.Outputs(logits, torch.ones(4, scenes.LENGTH, 1), torch.ones(4, scenes.LENGTH, 1))

    words = torch.arange(scenes.LENGTH, 0, -1)  # still to come, at each step
    torch.testing.assert_close(loss._baseline(outputs(-1.0), captions), -1.0 * words)
    torch.testing.assert_close(loss._baseline(outputs(-3.0), captions), -1.0 * words)
    torch.testing.assert_close(loss._baseline(outputs(-1.0), captions), -1.2 * words)


@pytest.mark.parametrize("layer", ["top", "lower"])
def test_features_have_size_one_and_know_their_place(layer):
    image = held_out(500).images[:1] * 0
    there = image.clone()
    there[0, 20:28, 36:44] = 1.0
    S, K = captioner.REGIONS[layer]
    found = features(torch.cat([image, there, held_out(500).images[:200]]), layer)
    assert found.shape == (202, S, K)
    assert found[2:].square().mean().sqrt() == pytest.approx(1, abs=0.4)
    changed = (found[1] - found[0]).abs().sum(dim=1).view(int(S**0.5), -1)
    assert changed.argmax() in (5,) if layer == "top" else changed[:, :6].sum() == 0


def test_a_captioner_at_initialisation_knows_nothing():
    found = judge(CaptionerRecipe("hard").build().eval(), held_out(100))
    assert found["exact"] == 0
    assert found["weight"] == pytest.approx(1 / 9, abs=0.1)
    assert set(judge(CaptionerRecipe("none").build(), held_out(100))) == {"exact", "first", "names", "relation"}


def test_the_encoder_is_trained_the_same_twice(monkeypatch):
    monkeypatch.setattr(captioner, "SHEETS", 2)
    one, two = captioner.train_encoder(), captioner.train_encoder()
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
    assert one.state_dict().keys() == encoder().state_dict().keys()
