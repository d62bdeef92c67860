"""What page translation measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.translation import KINDS, NAMES, SAMPLES, SHORT_WIDTHS, by_word, encoder, less, longest, trained
from attend.recipes import translation as recipe
from attend.recipes.encoders import SHORT_RATE, ShortRecipe
from attend.recipes.translation import GROUPS, LengthRecipe
from attend.tasks import numbers


def test_the_longest_sources_have_23_words():
    of = longest(50, 0)
    assert {len(numbers.english(n)) for n in of} == {23}
    assert len(set(of)) == 50


@pytest.mark.parametrize("kind", ["attention", "fixed"])
def test_a_word_that_no_state_takes_in_gets_no_gradient(kind):
    model, of = LengthRecipe(kind).build(), longest(3, 0)
    assert by_word(model, of).shape == (23,)
    assert (by_word(model, of) > 0).all()
    model.encoder.ahead.from_input.weight.data.zero_()
    model.encoder.back.from_input.weight.data.zero_()
    assert not by_word(model, of).any()


def test_the_gradient_is_that_of_the_last_token_before_the_end():
    model, of = LengthRecipe().build(), longest(1, 0)
    with torch.no_grad():
        model.readout.weight.zero_()  # nothing that is read moves a logit
    assert not by_word(model, of).any()


def test_a_translator_that_says_nothing_right_scores_nothing(monkeypatch):
    monkeypatch.setattr(LengthRecipe, "train", LengthRecipe.build)
    found = trained("attention", recipe.SHORT, 0)
    assert found.keys() == {"attention, up to 12"} | {f"attention, up to 12: {name}" for name in NAMES}
    assert set(found.values()) == {0.0}
    assert len(GROUPS) == len(NAMES)


@pytest.mark.nightly
def test_every_encoder_and_every_size_is_tuned_and_measured(monkeypatch):
    built = []
    monkeypatch.setattr(ShortRecipe, "train", lambda recipe: built.append(recipe) or recipe.build())
    found = encoder(3) | less(3)
    assert {(recipe.kind, recipe.H, recipe.most) for recipe in built} == set(SHORT_RATE)
    assert {recipe.seed for recipe in built} == {3}
    assert set(found.values()) == {0.0}
    for name in KINDS.values():
        assert {f"{name}, {most:,} pairs" for most in SAMPLES} < found.keys()
        assert {f"{name}, {H} units: 10 to 12 words" for H in SHORT_WIDTHS} < found.keys()
    assert {"bidirectional", "one direction", "words alone", "words alone: 1 to 5 words"} < found.keys()
