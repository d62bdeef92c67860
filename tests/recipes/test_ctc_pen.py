"""Handwriting is read back: a short training helps, and is repeatable; the blank is no letter."""

import pytest
import torch

from attend.recipes import ctc_pen
from attend.recipes.ctc_pen import PenRecipe, error, read
from attend.tasks import strokes


@pytest.fixture(scope="module")
def trained():
    return PenRecipe(seed=3, steps=20).train()


@pytest.mark.nightly
def test_a_short_training_is_repeatable_and_begins_to_read(trained):
    again = PenRecipe(seed=3, steps=20).train()
    assert all(torch.equal(a, b) for a, b in zip(trained.parameters(), again.parameters(), strict=True))
    batch = next(PenRecipe(seed=4).batches())
    with torch.no_grad():
        log_probs, mask = trained(batch.pen, batch.mask)
    assert log_probs.shape == (ctc_pen.BATCH, mask.shape[1], len(strokes.ALPHABET))


@pytest.mark.nightly
def test_words_are_letters_alone_and_padding_changes_nothing(trained):
    batch = strokes.draw(["cat", "window"], 0, "print")
    words = read(trained, batch)
    assert all(set(word) <= set(strokes.ALPHABET[1:]) for word in words)
    alone = strokes.draw(["cat"], 0, "print")
    T = alone.pen.shape[1]
    torch.testing.assert_close(alone.pen[0], batch.pen[0, :T])
    assert read(trained, alone) == words[:1]


def test_an_untrained_recogniser_reads_hardly_anything():
    assert error(PenRecipe(steps=1).train(), "validation", "script") > 0.8


def test_the_batches_come_in_the_hands_of_the_training_alone():
    drawn = PenRecipe(seed=5).batches()
    assert {next(drawn).pen.shape[0] for _ in range(3)} == {ctc_pen.BATCH}
    assert ctc_pen.UNSEEN not in ctc_pen.HANDS
    assert {*ctc_pen.HANDS, ctc_pen.UNSEEN} == set(strokes.HANDS)
