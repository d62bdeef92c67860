"""Hard attention on photos: every side of the trials, and the exact gradients that one look estimates."""

from dataclasses import replace

import pytest
import torch

from attend.recipes.reinforce import GRID, RATE, SIDES, StreetRecipe, everywhere, right, side
from attend.tasks.street import Street


def test_every_side_has_a_rate_that_was_tried():
    assert RATE.keys() == SIDES.keys()
    assert set(RATE.values()) <= set(GRID)
    assert side("baseline", seed=3).rate == RATE["baseline"]


def gradients(recipe, model, photo, draws):
    torch.manual_seed(1)
    parts = []
    for _ in range(draws):
        grads = torch.autograd.grad(recipe.loss(model, photo), list(model.parameters()))
        parts.append(torch.cat([grad.flatten() for grad in grads]))
    return torch.stack(parts)


@pytest.mark.nightly
@pytest.mark.parametrize("baseline", [True, False])
def test_one_look_estimates_the_gradients_of_every_window(baseline):
    recipe = StreetRecipe(windows=3, baseline=baseline)
    model, photo = recipe.build(), Street(*(part[:16] for part in next(recipe.batches())))
    exact = gradients(StreetRecipe("every window", windows=3), model, photo, 1)[0]
    drawn = gradients(recipe, model, photo, 200)
    along = drawn @ exact / exact.square().sum()  # 1 on average
    assert abs(along.mean() - 1) < 4 * along.std() / 200**0.5


def test_with_a_baseline_an_offset_changes_no_gradient():
    recipe = StreetRecipe(windows=3)
    model, photo = recipe.build(), next(recipe.batches())
    one, other = (gradients(replace(recipe, offset=offset), model, photo, 1) for offset in (0.0, -4.0))
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-4)
    none = gradients(replace(recipe, offset=-4.0, baseline=False), model, photo, 1)
    assert not torch.allclose(one, none, atol=1e-3)


def test_the_share_of_right_answers_is_that_of_many_draws():
    recipe = StreetRecipe(windows=4)
    model, photo = recipe.build(), recipe.judging()
    torch.manual_seed(0)
    with torch.no_grad():
        drawn = [right(model(photo.thumbnails, photo.windows).logits, photo.label).mean() for _ in range(30)]
    assert recipe.accuracy(model) == pytest.approx(sum(drawn).item() / 30, abs=0.015)


def test_everywhere_is_what_the_model_does_somewhere():
    recipe = StreetRecipe(windows=5)
    model, photo = recipe.build(), recipe.judging("validation")
    probs, logits = everywhere(model, photo)
    look = model(photo.thumbnails, photo.windows)
    at = torch.arange(1_000)
    torch.testing.assert_close(probs[at, look.index[:, 0]].log(), look.log_probs[:, 0])
    torch.testing.assert_close(logits[at, look.index[:, 0]], look.logits[:, 0])


def test_training_can_be_repeated():
    recipe = StreetRecipe(windows=4, looks=2, steps=5, seed=4)
    assert recipe.accuracy(recipe.train()) == recipe.accuracy(recipe.train())


def test_fields_are_refused_by_name():
    for field, value in (("gradient", "two looks"), ("windows", 1), ("rate", 0.0), ("entropy", -1.0)):
        with pytest.raises(ValueError, match=f"{field}: got"):
            StreetRecipe(**{field: value})
