"""What page gates measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.gates import as_printed, most_frequent, printed, tuned
from attend.recipes.gates import RATE
from attend.tasks.lockers import THINGS, sample


def test_the_most_frequent_thing_is_named():
    x, _ = sample(1, 4, 5)
    x[0, :-1, 5:] = torch.eye(THINGS)[[2, 3, 3, 1]]
    assert most_frequent((x, torch.tensor([3]))) == 1
    asked = (x[0, :-1, :5] * x[0, -1, :5]).sum(dim=1).argmax()
    assert most_frequent((x, torch.tensor([[2, 3, 3, 1][asked]])), of_locker=True) == 1


def test_the_printed_weights_are_worked_by_hand():
    torch.testing.assert_close(as_printed(torch.tensor([0.5, 0.25])), torch.tensor([0.125, 0.5]))
    assert printed(0)["off, corrected"] < 1e-12 < 0.1 < printed(0)["off, as printed"]


@pytest.mark.parametrize("one", RATE, ids=str)
def test_each_tuned_layer_is_a_recipe(one):
    assert tuned(*one, seed=7).rate == RATE[one]
