"""Beliefs about a coin, and learned predictions beside exact ones."""

import numpy as np
import pytest
import torch

from attend.figures import coin
from attend.figures.coin import beliefs, predictions


def test_beliefs_are_densities_with_their_top_at_the_proportion(drawn):
    beliefs([(3, 5), (300, 500)])
    for line in drawn[0].axes[0].lines:
        p, density = line.get_data()
        assert np.trapezoid(density, p) == pytest.approx(1, abs=0.01)
        assert p[density.argmax()] == pytest.approx(0.6, abs=0.002)


def test_predictions_show_the_difference_to_the_exact_rule(drawn):
    exact, learned = torch.tensor([0.2, 0.5]), torch.tensor([0.25, 0.45])
    predictions(torch.tensor([1.0, 2.0]), exact, learned)
    assert drawn[0].axes[1].lines[0].get_ydata() == pytest.approx([0.05, -0.05], abs=1e-6)


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match=r"tallies: got \(5, 3\)"):
        beliefs([(5, 3)])


def calls():
    return {
        coin.beliefs: {"tallies": [(3, 5), (30, 50)]},
        coin.predictions: {
            "heads": torch.tensor([1.0, 2.0]),
            "exact": torch.tensor([0.2, 0.3]),
            "learned": torch.tensor([0.2, 0.4]),
        },
    }
