"""The two light translators: one differs from the other in its score alone, and the weights that come with them."""

import pytest
import torch

from attend.recipes.looking import LIGHT, LightRecipe, judge, light, load_light
from attend.tasks import numbers, translation

SMALL = {"most": 10, "D": 8, "H": 12, "batch": 16}


def test_the_two_differ_in_their_score_alone():
    assert [light(by).score for by in LIGHT] == ["location", "bilinear"]
    sizes = {
        sum(p.numel() for name, p in light(by).build().named_parameters() if not name.startswith("score."))
        for by in LIGHT
    }
    assert len(sizes) == 1
    with pytest.raises(ValueError, match="by: got 'no attention'"):
        light("no attention")


def test_eleven_places_are_enough_for_six_digits():
    longest = max(len(numbers.english(n)) for n in (777_777, 373_373, *light("location").of("test")))
    assert longest == light("location").places == 11


@pytest.mark.parametrize("score", ["location", "bilinear"])
def test_a_short_training_is_repeatable_and_learns(score):
    recipe = LightRecipe(score, steps=12, **SMALL)
    (model, history), (_, again) = recipe.train(), recipe.train()
    assert history.losses == again.losses
    assert history.losses[-1] < history.losses[0]
    assert not any(p.requires_grad for p in model.parameters())


def test_weights_on_the_right_word_are_found(monkeypatch):
    model, of = LightRecipe(**SMALL).build(), (42, 17, 342)
    weights = torch.nn.functional.one_hot(translation.origins(of).clamp(min=0), 11).float()
    forward = type(model).forward
    monkeypatch.setattr(
        type(model), "forward", lambda self, *given: forward(self, *given)._replace(weights=weights), raising=True
    )
    assert judge(model, of)["found"] == judge(model, of)["near"] == 1


@pytest.mark.parametrize("by", LIGHT)
def test_the_weights_that_come_with_the_package(by):
    judged = judge(load_light(by), light(by).of("test"))
    assert judged["exact"] > 0.9
    assert judged["near"] > 0.9
    assert judged["found"] > {"location": 0.5, "content": 0.9}[by]
