"""The writer of the figure can be read, also as it travels."""

import pytest

from attend.recipes.window import written
from attend.recipes.window_figure import rounded, trained
from attend.recipes.window_reader import legible
from attend.recipes.window_reader import trained as reader
from attend.tasks import strokes


@pytest.mark.parametrize("writer", [pytest.param(trained, marks=pytest.mark.nightly), rounded])
def test_the_writer_of_the_figure_can_be_read(writer):
    words = strokes.lexicon("test")[5::40]
    assert legible(reader(), words, written(writer().write, words, 1.0, 0)) > 0.85


def test_rounding_moves_no_weight_by_more_than_half_a_step():
    for one, other in zip(trained().parameters(), rounded().parameters(), strict=True):
        assert (one - other).abs().max() <= one.abs().max() / 254 * 1.001
        assert not one.equal(other)
