"""Layers that recall what is in a locker: their sizes, and that they learn."""

import pytest

from attend.recipes.gates import KINDS, LockersRecipe


@pytest.mark.parametrize("kind", KINDS)
def test_each_has_its_weights_and_starts_from_its_seed(kind):
    model, twin = LockersRecipe(kind, 4).build(), LockersRecipe(kind, 4).build()
    sizes = {"gru": 3 * 4 * (18 + 4 + 1), "attention": 3 * 4 * 19 + 20, "linear": 3 * 4 * 19 + 20}
    sizes["forget"] = sizes["attention"] + 19
    assert sum(p.numel() for p in model.parameters()) == sizes[kind] + 6 * 5
    assert all((a == b).all() for a, b in zip(model.parameters(), twin.parameters(), strict=True))


@pytest.mark.nightly
def test_attention_learns_and_can_be_repeated():
    recipe = LockersRecipe(length=3, lockers=5, steps=60, seed=3)
    assert recipe.accuracy(recipe.build()) < 0.6
    found = [recipe.accuracy(recipe.train()) for _ in range(2)]
    assert found[0] == found[1] > 0.9


def test_fields_are_refused_by_name():
    for field, value in (("kind", "lstm"), ("steps", 0), ("rate", -1.0)):
        with pytest.raises(ValueError, match=f"{field}: got"):
            LockersRecipe(**{field: value})
