"""Encoders of like size, fewer pairs, and what they are judged by."""

import pytest
import torch

from attend.recipes.encoders import SHORT_RATE, ShortRecipe, exact_short
from attend.recipes.translation import SHORT


def weights(model):
    return sum(p.numel() for p in model.parameters())


def test_encoders_are_compared_at_like_weights():
    sizes = {kind: weights(ShortRecipe(kind, H).build()) for kind, H in (("one direction", 46), ("words", 52))}
    assert sizes == {"one direction": 38_573, "words": 36_744}
    assert weights(ShortRecipe().build()) == 36_822
    with pytest.raises(ValueError, match=r"kind: got 'rope'"):
        ShortRecipe("rope").build()


@pytest.mark.nightly
def test_fewer_pairs_are_drawn_from_all_of_them():
    everything, few = ShortRecipe().pairs(), ShortRecipe(most=300).pairs()
    assert len(everything.source) == 5_086
    assert few.source.shape[0] == 300
    assert everything.mask.sum(1).max() == SHORT
    rows = {tuple(row) for row in everything.source.tolist()}
    width = everything.source.shape[1]
    assert all((*row, *[0] * (width - len(row))) in rows for row in few.source.tolist())
    assert not torch.equal(few.target, ShortRecipe(most=300, seed=1).pairs().target)


@pytest.mark.nightly
def test_short_recipes_train_and_are_judged():
    model = ShortRecipe("words", 8, 300, steps=3, rate=0.01).train()
    assert exact_short(model) == [0.0] * 3
    assert ("words", 52, 5_086) in SHORT_RATE
