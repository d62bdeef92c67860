"""The kinds are what they are called and as large as each other, and the plane is what travels."""

import pytest
import torch

from attend.recipes.seq2seq import KINDS, RATE, RATES, WIDTHS, PlaneRecipe, TranslateRecipe, exact
from attend.soft.seq2seq import BidirectionalSeq2Seq, ContextSeq2Seq
from attend.tasks import translation


def test_all_kinds_have_as_many_weights_to_within_two_percent():
    models = {kind: TranslateRecipe(kind, WIDTHS[kind]).build() for kind in KINDS}
    sizes = [sum(p.numel() for p in model.parameters()) for model in models.values()]
    assert max(sizes) < 1.03 * min(sizes)
    assert max(abs(size / sizes[0] - 1) for size in sizes) < 0.02
    assert isinstance(models["bidirectional"], BidirectionalSeq2Seq)
    assert isinstance(models["context"], ContextSeq2Seq)
    assert set(RATE.values()) <= set(RATES)


def test_reversed_sources_are_the_same_words_from_the_other_end():
    plain, turned = (TranslateRecipe(kind).pairs("test") for kind in ("forward", "reversed"))
    row = int(plain.mask.sum(1).argmax())
    assert turned.source[row].tolist() == plain.source[row].flip(0).tolist()
    assert torch.equal(turned.target, plain.target)


@pytest.mark.nightly
def test_fewer_pairs_are_some_of_all():
    every, some = (TranslateRecipe(most=most).pairs("train") for most in (5_097, 1_000))
    assert (len(every.source), len(some.source)) == (5_097, 1_000)
    assert set(map(tuple, some.source[:, :3].tolist())) <= set(map(tuple, every.source[:, :3].tolist()))


@pytest.mark.nightly
def test_a_short_training_teaches():
    losses = []
    TranslateRecipe(H=32, steps=40).train((lambda step: losses.append(step.loss),))
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_exactness_counts_whole_answers():
    test = translation.encode((7, 42, 621_347))
    model = TranslateRecipe(H=32).build()
    model.readout.bias.data[:] = torch.nn.functional.one_hot(torch.tensor(0), len(model.readout.bias)) * 99.0
    assert exact(model, test).tolist() == [False] * 3  # it ends at once


def test_the_plane_is_that_of_the_recipe_and_light():
    recipe = PlaneRecipe()
    model = recipe.load()
    assert 0.75 < exact(model, translation.encode(recipe.of("test"))).double().mean() < 0.9
    assert sum(p.numel() for p in model.parameters()) < 27_000


def test_words_start_far_from_each_other():
    for rows in (PlaneRecipe().build().embed_source.weight, PlaneRecipe().build().embed_target.weight):
        apart = torch.cdist(rows, rows) + 9 * torch.eye(len(rows))
        assert apart.min() > 0.8
        assert rows.norm(dim=1).max() < 6


@pytest.mark.nightly
def test_pointing_is_learned():
    history = PlaneRecipe(digits=3, steps=60).train()[1]
    assert sum(history.losses[-10:]) < 0.8 * sum(history.losses[:10])


@pytest.mark.parametrize(("field", "value"), [("kind", "sideways"), ("H", 1), ("most", 0), ("rate", 0.0)])
def test_fields_are_refused_by_name(field, value):
    with pytest.raises(ValueError, match=f"{field}: got"):
        TranslateRecipe(**{field: value})
