"""Readers of faces: their sizes, what they see, and that they learn."""

import pytest
import torch

from attend.recipes.read import PRECISIONS, FacesRecipe, cost, right, widest
from attend.tasks import faces


@pytest.mark.parametrize(("reader", "weights"), [("attention", 256), ("positions", 272), ("gru", 61_194)])
def test_each_has_its_weights(reader, weights):
    assert sum(p.numel() for p in FacesRecipe(reader).build().parameters()) == weights


@pytest.mark.parametrize("reader", ["attention", "positions", "gru"])
def test_answers_are_probabilities(reader):
    model, batch = FacesRecipe(reader).build(), faces.sample(3, 5, torch.Generator().manual_seed(0))
    found = model(batch)
    assert found.shape == (3, 10)
    torch.testing.assert_close(found.sum(dim=1), torch.ones(3))


def test_without_positions_the_order_of_the_list_changes_nothing():
    batch = faces.sample(4, 6, torch.Generator().manual_seed(1))
    turned = batch._replace(key=batch.key.flip(1), value=batch.value.flip(1))
    for reader, same in (("attention", True), ("positions", False), ("gru", False)):
        model = FacesRecipe(reader).build()
        assert torch.allclose(model(batch), model(turned), atol=1e-6) == same


@pytest.mark.nightly
def test_attention_learns_and_can_be_repeated():
    recipe = FacesRecipe(seed=3, steps=50)
    assert recipe.accuracy(recipe.build(), 4) < 0.5
    found = [recipe.accuracy(recipe.train(), 4) for _ in range(2)]
    assert found[0] == found[1] > 0.6


def test_bayes_rule_beats_the_best_kernel_that_takes_all_numbers_alike():
    recipe = FacesRecipe(seed=1)
    assert widest() in PRECISIONS[1:-1]
    assert recipe.kernel(faces.bayes(), 8) > 0.98 > 0.6 > recipe.kernel(torch.full((16,), widest()), 8)


def test_the_cost_is_the_surprise_at_the_right_number():
    batch = faces.sample(2, 3)
    sure = torch.nn.functional.one_hot(batch.answer, 10).float()
    assert cost(lambda _: sure, batch).item() == pytest.approx(0, abs=1e-6)
    assert right(sure, batch) == 1


def test_fields_are_refused_by_name():
    for field, value in (("reader", "lstm"), ("steps", 0), ("rate", -1.0)):
        with pytest.raises(ValueError, match=f"{field}: got"):
            FacesRecipe(**{field: value})
