"""What page seq2seq measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.seq2seq import SLOTS, by_digits, eleven_words, influence, late_share, token_by_word
from attend.recipes.seq2seq import TranslateRecipe
from attend.tasks import numbers, translation


def test_numbers_of_eleven_words_differ_in_the_slots_alone():
    words = [numbers.english(n) for n in eleven_words()]
    assert len(words) > 50
    for place in range(11):
        found = {row[place] for row in words}
        assert (len(found) > 1) == (place in SLOTS), found


def remembering(at):
    """A model whose encoder keeps its state but for one word, which it takes in."""
    model = TranslateRecipe(H=4).build()
    encoder = model.encoder
    encoder.from_hidden.weight.data.zero_()
    encoder.from_input.weight.data[4:8] = 0
    encoder.from_input.bias.data[4:8] = 40.0  # z near 1: keep
    marked = translation.ENGLISH.index(at)
    model.embed_source.weight.data[marked, 0] = 1_000.0
    encoder.from_input.weight.data[4:8, 0] = -0.1  # z near 0 at this word
    encoder.from_input.weight.data[8:, 0] = 0.0
    return model


def test_a_word_that_alone_is_kept_has_all_influence():
    model = remembering("twenty")
    source = translation.encode((621_347,)).source
    found = influence(model, source)[0]
    assert found.argmax() == 3
    assert found[3] > 100 * found[[0, 4, 6, 9, 10]].max()


def test_shares_and_tables_are_what_they_say():
    model = TranslateRecipe(H=8).build()
    assert 0 < late_share(model) < 1
    table = token_by_word(model, eleven_words()[:20])
    assert table.shape == (6, 6)
    assert table.max() == 1
    assert table.min() >= 0


def test_what_the_decoder_says_is_differentiated_by_its_own_source():
    model = TranslateRecipe(H=8).build()
    model.encoder.from_input.weight.data.zero_()  # no word gets in
    test = translation.encode((621_347,)).source
    assert not influence(model, test).any()


def test_groups_of_digits():
    model = TranslateRecipe(H=8).build()
    test = translation.encode((7, 42, 621_347))
    found = by_digits(model, test, torch.tensor([1, 2, 6]))
    assert found == {"1 to 3 digits": pytest.approx(0), "6 digits": pytest.approx(0)}
