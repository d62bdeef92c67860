"""What page seq2seq measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.seq2seq import (
    SLOTS,
    by_digits,
    eleven_words,
    fitted,
    influence,
    late_share,
    long_ones,
    nearest,
    states,
    token_by_word,
    with_one,
)
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


def test_the_nearest_state_is_found_among_the_words_alone():
    hidden = torch.tensor([[[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]]])
    decoded = torch.tensor([[[0.9, 0.1], [0.2, 0.0], [5.0, 5.0]]])
    mask, origins = torch.tensor([[True, True, False]]), torch.tensor([[1, 0, -1]])
    assert nearest(hidden, decoded, mask, origins) == 1.0
    assert nearest(hidden, decoded, mask, torch.tensor([[0, 1, -1]])) == 0.0
    assert nearest(hidden, decoded, mask, torch.tensor([[-1, -1, 1]])) == 1.0  # the padding is never the nearest


def test_a_linear_map_that_is_there_is_found():
    model = TranslateRecipe(H=8).build()
    model.encoder.from_hidden.weight.data.zero_()  # a state is its word's alone
    chosen = long_ones("test")[:40]
    assert min(len(numbers.english(n)) for n in chosen) == 8
    hidden, decoded, mask, origins = states(model, chosen)
    assert hidden.shape[:2] == mask.shape
    assert decoded.shape[:2] == origins.shape
    mapped = with_one(decoded) @ fitted(model, chosen)
    assert 0 <= nearest(hidden, mapped, mask, origins) <= 1
    assert (mapped - hidden.gather(1, origins.clamp(min=0)[..., None].expand(-1, -1, 8)))[
        origins >= 0
    ].mean().abs() < 0.01
