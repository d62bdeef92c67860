"""One look at the letters around each step: a short training learns it."""

import pytest
import torch

from attend.recipes.heads import HeadsRecipe, Reporter, around, cost, right, whole
from attend.tasks import neighbours


@pytest.mark.nightly
def test_two_heads_learn_both_neighbours_and_one_head_does_not():
    two, one = (HeadsRecipe(K, seed=5, steps=250).train()[0] for K in (2, 1))
    assert whole(two) > 0.95
    assert whole(one) < 0.25
    assert right(one).double().mean().item() > 0.4


def test_without_places_nothing_tells_the_neighbours():
    assert whole(HeadsRecipe(seed=5, positions="none", steps=60).train()[0]) < 0.1


@pytest.mark.parametrize("positions", ["sinusoids", "learned", "none"])
def test_a_reporter_answers_at_every_inner_step(positions):
    recipe = HeadsRecipe(positions=positions, offsets=neighbours.AROUND, feed_forward=True)
    model, letters = recipe.build(), neighbours.sample(3, 12)
    assert model(letters).shape == (3, 8, 4, neighbours.LETTERS)
    assert model.weights(letters).shape == (3, 2, 12, 12)
    torch.testing.assert_close(model.weights(letters).sum(3), torch.ones(3, 2, 12))
    assert cost(model, letters).item() > 0


def test_the_same_seed_gives_the_same_training():
    losses = [HeadsRecipe(seed=3, steps=4).train()[1].losses for _ in range(2)]
    assert losses[0] == losses[1]


def test_learned_places_run_out():
    with pytest.raises(ValueError, match="T: got 13"):
        HeadsRecipe(positions="learned").build()(neighbours.sample(1, 13))
    with pytest.raises(ValueError, match="positions: got"):
        Reporter(positions="waves")


def test_four_letters_get_four_offsets_and_a_network():
    assert (around(4).num_heads, around(4).offsets, around(4).feed_forward) == (4, neighbours.AROUND, True)


def calls():
    LETTERS = torch.arange(24).view(2, 12) % 10
    MODEL = Reporter(generator=torch.Generator().manual_seed(0))
    return {
        Reporter: {
            "num_heads": 2,
            "d_model": 8,
            "T": 12,
            "offsets": (-1, 1),
            "positions": "sinusoids",
            "feed_forward": False,
            "generator": torch.Generator(),
        },
        MODEL.embed: {"letters": LETTERS},
        MODEL.forward: {"letters": LETTERS},
        MODEL.weights: {"letters": LETTERS},
    }
