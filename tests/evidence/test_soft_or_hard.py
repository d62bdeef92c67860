"""What page soft_or_hard measures is what its sentences are about."""

import pytest
import torch

from attend.evidence import soft_or_hard as page
from attend.hard.look import AttentionClassifier
from attend.recipes.look import softmax, straight_through_draw


def test_multiply_adds_are_those_of_the_formulas():
    model = AttentionClassifier(16, 256, 10)
    for S in (16, 40):
        assert page.multiply_adds(page.reading("soft", model, S)) == S * (544 + 16_384 + 64) + 640
        assert page.multiply_adds(page.reading("one look", model, S)) == S * 544 + 16_384 + 640
        assert page.multiply_adds(page.reading("place given", model, S)) == 16_384 + 640


def test_the_exact_gradient_is_that_of_the_mean_over_windows():
    scores, values = page.small_case(3)
    leaf = scores.clone().requires_grad_()
    mean = leaf.softmax(0) @ page.log_prob(torch.eye(5), values)
    torch.testing.assert_close(torch.autograd.grad(mean, leaf)[0], page.exact(scores, values))


def test_reinforce_has_no_bias_and_soft_no_noise():
    scores, values = page.small_case(4)
    truth = page.exact(scores, values)
    bias, noise = page.bias_and_noise(page.reinforced(scores, values, baseline=True), truth)
    assert bias < 0.05
    assert noise > 0.1
    assert page.bias_and_noise(page.pathwise(softmax, scores, values, 10), truth)[1] == pytest.approx(0, abs=1e-6)


def test_straight_through_is_right_on_average_where_reading_is_linear():
    scores = torch.randn(5, generator=torch.Generator().manual_seed(1))
    flat = torch.zeros(5, 4)
    flat[:, 0] = torch.linspace(-1e-2, 1e-2, 5)  # so little that log p is a straight line
    bias, _ = page.bias_and_noise(page.pathwise(straight_through_draw, scores, flat), page.exact(scores, flat))
    assert bias < 0.02
