import pytest
import torch

from attend.gating.hierarchical import FlatEncoderDecoder, HierarchicalEncoderDecoder
from attend.recipes.hierarchical import (
    BACKS,
    LENGTHS,
    PLAYERS,
    READERS,
    SEEDS,
    STEPS,
    DialogueRecipe,
    TurnsRecipe,
    measured,
)


def weights(model):
    return sum(p.numel() for p in model.parameters())


def test_all_readers_have_as_good_as_equally_many_weights():
    counts = [weights(DialogueRecipe(reader).build()) for reader in READERS]
    assert max(counts) < 1.01 * min(counts)
    plays = [weights(TurnsRecipe(reader).build()) for reader in PLAYERS]
    assert max(plays) < 1.01 * min(plays)
    assert isinstance(DialogueRecipe().build(), HierarchicalEncoderDecoder)
    assert isinstance(TurnsRecipe("alone").build(), HierarchicalEncoderDecoder)
    assert isinstance(DialogueRecipe("spread row").build(), FlatEncoderDecoder)
    assert isinstance(DialogueRecipe("spread levels").build(), HierarchicalEncoderDecoder)
    with pytest.raises(ValueError, match="reader: got 'deep'"):
        DialogueRecipe("deep").build()


def test_the_dialogues_grow_by_stages():
    stream = DialogueRecipe(stage=3, B=2).batches()
    many = [int(next(stream).mask.any(2).sum(1).max()) - 1 for _ in range(30)]
    assert many[:3] == [1, 1, 1]
    assert max(many[3:6]) <= 2
    assert max(many) == 4


@pytest.mark.parametrize("recipe", [DialogueRecipe(steps=4, B=8), TurnsRecipe(steps=3, B=4, D=4, H=8)])
def test_training_is_repeatable_and_learns(recipe):
    one, history = recipe.train()
    other, _ = recipe.train()
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert history.losses[-1] < history.losses[0]


@pytest.mark.parametrize("reader", READERS)
def test_the_weights_that_come_with_the_package(reader):
    recipe = DialogueRecipe(reader)
    row = measured()["dialogue"][reader]["exact"][0][LENGTHS.index(12)]
    assert recipe.judge(recipe.load(), 12, 3) == pytest.approx(row[BACKS.index(3)], abs=0.01)


def test_what_was_recorded_is_complete():
    found = measured()
    for reader in READERS:
        of_reader = found["dialogue"][reader]
        assert len(of_reader["seconds"]) == len(SEEDS)
        assert torch.tensor(of_reader["exact"]).shape == (len(SEEDS), len(LENGTHS), len(BACKS))
        assert reader in STEPS
    assert len(found["begun"]) == len(SEEDS)
    assert set(found["plays"]) == set(PLAYERS)
    assert all(len(found["plays"][reader]["test"]) == len(SEEDS) for reader in PLAYERS)
