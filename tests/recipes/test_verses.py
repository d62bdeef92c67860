"""The exported aligner is the one that was measured, and finds more links after a word was seen than before."""

import pytest
import torch

from attend.recipes import verses as recipe
from attend.soft import lexicon
from attend.tasks import verses


@pytest.mark.nightly
def test_every_training_word_has_its_own_place_in_the_table():
    for words, most in zip(recipe.words(), (recipe.GREEK, recipe.ENGLISH), strict=True):
        assert len(words) < most
    pairs = recipe.whole("train")
    for tokens in (pairs.source, pairs.target):
        assert not (tokens == verses.UNKNOWN).any()


@pytest.mark.nightly
def test_the_table_and_the_place_beat_the_diagonal():
    pairs = recipe.whole("validation")
    near = lexicon.diagonal_scores(pairs.mask, pairs.asked, recipe.STRENGTH)
    place = recipe.error(near.softmax(2), "validation")
    table = recipe.error(lexicon.e_step(recipe.table(), pairs.source, pairs.target, pairs.mask), "validation")
    both = recipe.error(lexicon.e_step(recipe.table(), pairs.source, pairs.target, pairs.mask, near), "validation")
    assert both < table - 0.1 < place - 0.2


@pytest.mark.nightly
def test_the_exported_aligner_is_the_one_that_was_measured():
    model, results = recipe.AlignerRecipe().load(), recipe.results()
    measured = recipe.AlignerRecipe().measure(model)
    for name, value in measured.items():
        assert value == pytest.approx(results["aligner"][name][0], abs=5e-3)
    assert measured["after"] < measured["before"] - 0.1


def test_all_seeds_were_measured():
    results = recipe.results()
    for name in ("aligner", "translator", "without attention"):
        assert results[name].pop("seconds") > 0
        assert all(len(values) == len(recipe.SEEDS) for values in results[name].values())


@pytest.mark.nightly
def test_a_short_training_lowers_the_surprise_and_can_be_repeated():
    _, history = recipe.AlignerRecipe(steps=60, batch=16, D=8, H=12, learning_rate=2e-2).train()
    assert sum(history.losses[-15:]) < sum(history.losses[:15]) - 1.5
    first, again = (recipe.AlignerRecipe(steps=3, batch=4, D=4, H=6).train()[0] for _ in range(2))
    assert torch.equal(first.decoder.from_input.weight, again.decoder.from_input.weight)


@pytest.mark.nightly
def test_a_translator_is_measured_with_attention_and_without():
    small = {"steps": 2, "batch": 4, "D": 4, "H": 6, "greek": 50, "english": 40}
    reading, plain = (recipe.TranslatorRecipe(attention, **small) for attention in (True, False))
    assert set(reading.measure(reading.train()[0], "validation")) == {"perplexity", "before", "later"}
    assert set(plain.measure(plain.train()[0], "validation")) == {"perplexity"}
