"""Lines within and beyond the trained length: each seed is there, the mean is named, and a line may end early."""

import pytest
from matplotlib.colors import to_hex

from attend.figures.beyond import beyond
from attend.figures.style import PALETTE

LINES = {
    "short": ([4, 8], [[1, 0.9], [0.8, 0.7]], "summary"),
    "long": ([4, 8, 12], [[1, 0.5, 0.25]], "rival"),
}
GIVEN = {"trained": 8, "x_name": "position", "y_name": "right", "y_range": (0, 1)}


def test_seeds_and_means_stand_at_their_places(drawn):
    beyond(LINES, **GIVEN)
    (axes,) = drawn[0].axes
    assert [line.get_xdata().tolist() for line in axes.lines] == [[4, 8]] * 3 + [[8]] + [[4, 8, 12]] * 2
    assert axes.lines[2].get_ydata() == pytest.approx([0.9, 0.8])
    assert [line.get_linestyle() for line in axes.lines] == ["-", "-", "-", "None", "-", "--"]
    named = {text.get_text(): to_hex(text.get_color()) for text in axes.texts}
    assert named["short"] == PALETTE["summary"]
    assert named["long"] == PALETTE["rival"]
    assert axes.get_ylim() == (0, 1)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ({}, "lines: got"),
        ({"one": ([1], [[0.5]], "pink")}, "lines.*a colour among"),
        ({"one": ([1], [], "summary")}, "lines.*rows of 1"),
        ({"one": ([1, 2], [[0.5]], "summary")}, "lines.*rows of 2"),
        ({"one": ([1], [[float("nan")]], "summary")}, "lines.*finite"),
    ],
)
def test_bad_input_is_refused_by_name(lines, says):
    with pytest.raises(ValueError, match=says):
        beyond(lines, **GIVEN)


def test_a_range_that_is_none_is_refused():
    with pytest.raises(ValueError, match="y_range: got"):
        beyond(LINES, **(GIVEN | {"y_range": (1, 1)}))


def calls():
    return {beyond: {"lines": {"one": ([1, 2], [[0.9, 0.2]], "summary")}, **GIVEN}}


def good():
    return {beyond: {"x_name": {"word"}, "y_name": {"word"}, "trained": {"type", "zero", "negative"}}}
