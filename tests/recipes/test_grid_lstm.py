"""The 2-D LSTM and its baselines: equal weights, what each block hears, and the weights of the package."""

import pytest
import torch

from attend.recipes.grid_lstm import RATES, GridRecipe, f1, unseen


def test_all_of_them_have_as_many_weights():
    weights = {kind: sum(p.numel() for p in GridRecipe(kind).build().parameters()) for kind in RATES}
    assert weights == {"plane": 16411, "rows": 16475, "rows_columns": 16763, "conv": 16565}


def test_the_plane_that_came_along_finds_the_digit():
    assert f1(GridRecipe().load()) > 0.9
    with pytest.raises(ValueError, match="kind: got 'rows'"):
        GridRecipe("rows").load()


def test_canvases_are_the_same_every_time_and_differ_by_part():
    assert torch.equal(unseen(2).images, unseen(2).images)
    assert not torch.equal(unseen(2).images, unseen(2, "validation").images)


@pytest.mark.parametrize("kind", RATES)
def test_what_a_pixel_is_named_depends_on_what_its_block_hears(kind):
    images = torch.rand(1, 30, 30, generator=torch.Generator().manual_seed(0)).requires_grad_()
    GridRecipe(kind).build()(images)[0, 16, 4].sum().backward()
    seen = images.grad[0] != 0
    assert seen[15:18, :12].any(1).all()
    assert seen[:15].any() == (kind != "rows")
    assert seen.all() == (kind in ("plane", "rows_columns"))


@pytest.mark.nightly
def test_a_short_training_is_the_same_twice_and_lowers_the_cost():
    losses = []
    one = GridRecipe(steps=25, batch=8).train(callbacks=(lambda step: losses.append(step.loss),))
    two = GridRecipe(steps=25, batch=8).train()
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))
