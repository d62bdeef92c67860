"""Seven ways to train one model: they begin alike, climb what they say, and are judged by one look."""

from dataclasses import replace

import pytest
import torch

from attend.hard.look import sparsemax
from attend.recipes import look
from attend.recipes.look import TUNED_ON, WAYS, LookRecipe, chosen, everywhere, settings


def test_all_ways_of_a_seed_begin_with_the_same_weights_and_photos():
    first, *rest = (LookRecipe(way, seed=3, windows=4) for way in WAYS)
    for other in rest:
        for a, b in zip(first.build().parameters(), other.build().parameters(), strict=True):
            assert torch.equal(a, b)
        assert torch.equal(next(first.batches()).windows, next(other.batches()).windows)


def test_one_look_estimates_the_gradient_of_every_window():
    recipe = LookRecipe("every window", windows=3)
    model, photo = recipe.build(), next(recipe.batches())
    parameters = list(model.score.parameters())[:2]
    truth = torch.cat([g.flatten() for g in torch.autograd.grad(recipe.loss(model, photo), parameters)])
    estimate, rows = replace(recipe, way="one look"), []
    for _ in range(150):
        grads = torch.autograd.grad(estimate.loss(model, photo), parameters)
        rows.append(torch.cat([g.flatten() for g in grads]))
    along = torch.stack(rows) @ truth / (truth @ truth)
    assert abs(along.mean() - 1) < 4 * along.std() / len(rows) ** 0.5


@pytest.mark.parametrize("way", WAYS)
def test_every_way_gives_the_scores_a_gradient(way):
    recipe = LookRecipe(way, windows=4)
    model = recipe.build()
    recipe.loss(model, next(recipe.batches())).backward()
    assert model.score[0].weight.grad.norm() > 0


def test_what_is_judged_is_one_look():
    recipe = LookRecipe("sparsemax", windows=4)
    model, photo = recipe.build(), next(recipe.batches())
    found = recipe.judge(model, photo)
    one = model.look(photo.thumbnails, photo.windows, draw=False).logits.argmax(1) == photo.label
    assert found.largest == pytest.approx(one.float().mean().item())
    probs, log_probs = everywhere(model, photo)
    expected = (probs * (log_probs.argmax(2) == photo.label[:, None])).sum(1).mean()
    assert found.drawn == pytest.approx(expected.item())
    weights = sparsemax(model.score(photo.thumbnails)[..., 0])
    assert found.windows == pytest.approx((weights > 0).sum(1).float().mean().item())


def test_every_way_was_given_four_settings_on_seeds_that_do_not_judge(capsys, monkeypatch):
    assert {len(settings(way)) for way in WAYS} == {4}
    assert all((chosen(way, 1).rate, chosen(way, 1).temperature) in settings(way) for way in WAYS)
    assert min(TUNED_ON) >= 100
    monkeypatch.setattr(LookRecipe, "curve", lambda self, split: [look.Right(20, self.rate, 0, 0, 0)])
    look.tune("soft", "Gumbel-softmax")
    assert "soft: (0.02, 1.0)" in capsys.readouterr().out
