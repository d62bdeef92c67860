"""The judge reads true strokes, counts mistakes as edits, and is not kind to scribbles."""

import pytest
import torch

from attend.recipes.window_reader import WindowReaderRecipe, distance, legible, read, trained
from attend.tasks import strokes


@pytest.fixture(scope="module")
def words():
    """Words of the test part."""
    return strokes.lexicon("test")[::12]


def test_true_strokes_are_read(words):
    pens = [strokes.write(word, "script", n) for n, word in enumerate(words)]
    assert legible(trained(), words, pens) > 0.93


def test_padding_is_not_read():
    pens = [strokes.write(word, "script", 3) for word in ("cat", "strange")]
    assert read(trained(), pens)[0] == read(trained(), pens[:1])[0]


def test_scribbles_and_other_words_are_not(words):
    pens = [torch.randn(80, 3, generator=torch.Generator().manual_seed(n)) for n in range(20)]
    assert legible(trained(), words[:20], pens) < 0.2
    pens = [strokes.write(word, "script", 1) for word in words[1:21]]
    assert legible(trained(), words[:20], pens) < 0.4


@pytest.mark.parametrize(
    ("one", "other", "edits"), [("cat", "cat", 0), ("cat", "at", 1), ("", "cat", 3), ("kitten", "sitting", 3)]
)
def test_distances_are_edits(one, other, edits):
    assert distance(one, other) == distance(other, one) == edits


@pytest.mark.nightly
def test_training_lowers_the_loss():
    losses = WindowReaderRecipe(steps=20, batch=8).train()[1].losses
    assert sum(losses[-5:]) < sum(losses[:5])


def test_a_setting_that_does_not_fit_is_refused_by_name():
    with pytest.raises(ValueError, match="steps: got 0"):
        WindowReaderRecipe(steps=0)
