"""Weights in few levels: by hand, and how far they may move."""

import pytest
import torch

from attend.live import rounding
from attend.live.rounding import rounded


def test_rows_are_rounded_by_hand():
    weights = torch.tensor([[1.0, 0.4, -0.6, 0.0], [0.0, 0.0, 0.0, 0.0], [-8.0, 3.0, 2.0, 1.9]])
    expected = torch.tensor([[1.0, 0.5, -0.5, 0.0], [0.0, 0.0, 0.0, 0.0], [-8.0, 4.0, 0.0, 0.0]])
    torch.testing.assert_close(rounded(weights, 2), expected)


def test_no_weight_moves_by_more_than_half_a_step_and_few_values_are_left():
    weights = torch.randn(5, 3, 20, generator=torch.Generator().manual_seed(0))
    found = rounded(weights, 7)
    largest = weights.flatten(1).abs().amax(dim=1)
    assert ((found - weights).flatten(1).abs().amax(dim=1) <= largest / 14 + 1e-6).all()
    assert max(len(row.unique()) for row in (found / largest[:, None, None] * 7).round()) <= 15
    torch.testing.assert_close(found.flatten(1).abs().amax(dim=1), largest)


def test_no_levels_are_refused():
    with pytest.raises(ValueError, match="levels: got 0"):
        rounded(torch.ones(2, 2), 0)


def calls():
    return {
        rounding.rounded: {"weights": torch.linspace(-1, 1, 6).view(2, 3), "levels": 7},
    }


def good():
    return {
        rounding.rounded: {"weights": {"rank"}},
    }
