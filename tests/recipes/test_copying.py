import pytest
import torch

from attend.recipes.copying import LENGTHS, LONGEST, LOOKS, PLACES, SEEDS, SETTINGS, CopyRecipe, measured
from attend.soft.ablated import AttentionOnly, WordsOnly
from attend.soft.read import AttentionSeq2Seq


def test_each_setting_has_its_reader():
    kinds = [type(CopyRecipe(setting).build()) for setting in SETTINGS]
    assert kinds == [AttentionSeq2Seq, WordsOnly, AttentionOnly]
    assert CopyRecipe(look="location").build().score.name == "location"
    with pytest.raises(ValueError, match="setting: got 'sums'"):
        CopyRecipe("sums").build()
    with pytest.raises(ValueError, match="look: got 'taste'"):
        CopyRecipe(look="taste").build()


def test_rows_have_gaps_only_where_they_should():
    for setting in SETTINGS:
        batch = next(CopyRecipe(setting).batches())
        assert batch.source.shape[1] == (PLACES if setting == "gaps" else LONGEST)
        assert batch.mask.all() == (setting == "gaps")


@pytest.mark.parametrize("setting", SETTINGS)
def test_training_is_repeatable_and_learns(setting):
    one, history = CopyRecipe(setting, steps=8).train()
    other, _ = CopyRecipe(setting, steps=8).train()
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))
    assert history.losses[-1] < history.losses[0]


@pytest.mark.nightly
def test_judging_by_rows_of_one_length():
    recipe = CopyRecipe("words", "location", steps=150)
    model, _ = recipe.train()
    assert recipe.judge(model, 1) > recipe.judge(model, 10) == 0


def test_what_was_recorded_is_complete():
    found = measured()
    for setting in SETTINGS:
        for look in LOOKS:
            assert len(found[setting][look]["seconds"]) == len(SEEDS)
            assert torch.tensor(found[setting][look]["exact"]).shape == (len(SEEDS), len(LENGTHS))
