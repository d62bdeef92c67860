"""Smoothed weights are what their name says, and the recipe repeats itself from the weights of the hybrid."""

import pytest
import torch

from attend.recipes import hybrid
from attend.recipes.hybrid import within
from attend.recipes.hybrid_smooth import Smooth, SmoothRecipe, build


def test_smoothed_weights_are_sigmoids_over_their_sum():
    torch.manual_seed(0)
    attend = Smooth(6, 5, 4, filters=2, width=3)
    state, h, last = torch.randn(2, 6), torch.randn(2, 7, 5), torch.rand(2, 7).softmax(1)
    mask = torch.arange(7) < torch.tensor([[7], [4]])
    for reach in (None, 1):
        weights = attend(state, h, mask, last, reach)
        near = torch.nn.functional.conv1d(last[:, None], attend.convolve.weight, padding=1)
        hidden = attend.query_proj(state)[:, None] + attend.key_proj(h) + attend.place_proj(near.mT)
        shares = torch.sigmoid(attend.score(hidden.tanh())[..., 0]) * within(last, mask, reach)
        torch.testing.assert_close(weights, shares / shares.sum(1, keepdim=True))
    assert (weights[1, 4:] == 0).all()


def test_it_begins_as_the_hybrid_and_repeats_itself():
    ours, theirs = build(3).state_dict(), hybrid.build("hybrid", 3).state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in theirs)
    losses = [SmoothRecipe(seed, steps=2).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="rate: got"):
        SmoothRecipe(rate=-1.0)
