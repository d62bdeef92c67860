"""Journeys are followed to the goal or to the first wrong turn; both sides have about as many weights."""

import pytest
import torch

from attend.recipes.journeys import JourneyRecipe, arrivals, batches
from attend.tasks.journeys import LOOKS


def test_a_journey_ends_at_its_goal_or_at_the_first_wrong_turn():
    class Says(torch.nn.Module):
        def __init__(self, next_one):
            super().__init__()
            self.next_one = next_one

        def forward(self, x, slots=None):
            here = x[:, -1, :16].argmax(1)
            return torch.nn.functional.one_hot(torch.tensor(self.next_one)[here], 16).float()[:, None], []

    rides = torch.tensor([[[0, 0, 1], [1, 0, 2], [2, 0, 3], [0, 1, 4], [4, 1, 2], [3, 1, 5], [5, 1, 0]]] * 3)
    here, goal = torch.tensor([[0], [0], [1]]), torch.tensor([[2], [3], [3]])
    for next_one, share in (([1, 2, 3, 3, 2], 1), ([4, 2, 3, 3, 2], 1), ([4, 2, 5, 3, 2], 1 / 3), ([3, 3, 3, 3, 3], 0)):
        assert arrivals(Says(next_one), rides, here, goal) == pytest.approx(share)


def test_training_is_repeatable_and_seeds_differ():
    losses = [JourneyRecipe(kind="lstm", seed=seed, steps=3).train()[1].losses for seed in (0, 0, 1)]
    assert losses[0] == losses[1]
    assert losses[0] != losses[2]


def test_both_sides_have_about_as_many_weights():
    ours, theirs = (
        sum(p.numel() for p in JourneyRecipe(kind=kind, steps=1).train()[0].parameters()) for kind in ("whole", "lstm")
    )
    assert ours <= theirs < 1.04 * ours


def test_batches_have_all_sizes():
    stream = batches(0)
    assert {next(stream)[0].shape[1] - 4 * LOOKS for _ in range(60)} == {2, 6, 8, 10, 12}


@pytest.mark.parametrize(("field", "value"), [("kind", "links"), ("steps", 0), ("rate", -1.0)])
def test_a_setting_that_does_not_fit_is_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        JourneyRecipe(**{field: value})
