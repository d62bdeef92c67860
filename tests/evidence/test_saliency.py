"""What page saliency measures is what its sentences are about."""

import torch

from attend.evidence.saliency import around, canvases, correlation, weights_of, without
from attend.soft.saliency import PooledNet


def test_the_highest_rated_ink_is_taken_and_blank_paper_is_not():
    image = torch.tensor([[[0.9, 0.0, 0.3], [0.1, 0.8, 0.5], [0.0, 0.0, 0.4]]])
    rating = torch.tensor([[[1.0, 9.0, 2.0], [8.0, 3.0, 4.0], [7.0, 6.0, 5.0]]])
    left = without(image, rating, 2)
    assert (left == 0).sum() == (image == 0).sum() + 2
    assert left[0, 2, 2] == left[0, 1, 2] == 0
    assert torch.equal(without(image, rating, 5) > 0, torch.tensor([[[False] * 3, [True, False, False], [False] * 3]]))


def test_agreement_is_pearsons_correlation_of_sizes():
    one, other = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0)).unbind(0)
    pairs = zip(one.abs().flatten(1), other.abs().flatten(1), strict=True)
    expected = torch.stack([torch.corrcoef(torch.stack(pair))[0, 1] for pair in pairs]).mean()
    assert abs(correlation(one, other) - expected) < 1e-6
    assert abs(correlation(one, -3 * one) - 1) < 1e-6


def test_a_square_around_a_mark_is_cut_off_at_the_edge():
    found = around(torch.tensor([[0, 10], [20, 32]]), 4)
    assert found.shape == (2, 36, 36)
    assert found.sum((1, 2)).tolist() == [6 * 8, 8 * 6]
    assert found[0, 0, 8] == found[0, 5, 15] == found[1, 25, 35] == 1


def test_weights_on_pixels_add_up_to_one():
    of = canvases(0, 2)
    assert torch.allclose(weights_of(PooledNet("attention").eval(), of.images).sum((1, 2)), torch.ones(2))
