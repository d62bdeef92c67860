"""Words are drawn as they were written: a line for each stroke, a dot for a touch."""

import pytest
import torch

from attend.figures.pen import under_window, written
from attend.tasks import strokes

CAT, HI = strokes.write("cat"), strokes.write("hi")


def test_a_row_of_words_is_as_wide_as_they_are(drawn):
    written({"true": [CAT, CAT], "other": [HI]})
    (axes,) = drawn[0].axes
    assert [text.get_text() for text in axes.texts] == ["true", "other"]
    wide = CAT[:, :2].cumsum(0)[:, 0].max().item()
    assert axes.get_xlim()[1] == pytest.approx(2 * wide + 6, abs=1e-3)


def test_dots_are_dots(drawn):
    written({"": [HI]})
    dots = [line for line in drawn[0].axes[0].lines if len(line.get_xdata()) == 1]
    assert len(dots) == int((HI[1:, 2] * HI[:-1, 2]).sum())


def test_each_step_has_the_colour_of_its_letter(drawn):
    phi = torch.zeros(len(CAT), 4)
    phi[torch.arange(len(CAT)), torch.arange(len(CAT)) * 4 // len(CAT)] = 1
    under_window(CAT, phi, "cat.")
    assert [tick.get_text() for tick in drawn[0].axes[0].get_yticklabels()] == list("cat.")
    assert len({line.get_color() for line in drawn[0].axes[1].lines}) == 3


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: written({}), "rows: got"),
        (lambda: written({"a": []}), "rows: got"),
        (lambda: written({"a": [CAT]}, "mauve"), "kind: got"),
        (lambda: under_window(CAT, torch.ones(len(CAT), 2), "cat"), "phi: got"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    return {
        written: {"rows": {"a": [CAT]}},
        under_window: {"pen": CAT, "phi": torch.ones(len(CAT), 3), "letters": "cat"},
    }
