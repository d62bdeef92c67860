"""Lines over groups of lengths: each seed is there, the mean is named, and no value is bent."""

import pytest
from matplotlib.colors import to_hex

from attend.figures.lengths import by_length
from attend.figures.style import PALETTE

GROUPS = [(1, 3), (4, 9), (10, 10)]
LINES = {"one": ([[1, 0.5, 0.25], [0.5, 0.5, 0.75]], "summary"), "two": ([[0.0, 1.0, 0.5]], "rival")}


def test_seeds_and_means_stand_at_their_groups(drawn):
    by_length(GROUPS, LINES, x_name="words")
    (axes,) = drawn[0].axes
    rows = [line.get_ydata().tolist() for line in axes.lines]
    assert rows == [[1, 0.5, 0.25], [0.5, 0.5, 0.75], [0.75, 0.5, 0.5], [0, 1, 0.5], [0, 1, 0.5]]
    assert [line.get_linestyle() for line in axes.lines] == ["-", "-", "-", "-", "--"]
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1–3", "4–9", "10"]
    assert {text.get_text(): to_hex(text.get_color()) for text in axes.texts} == {
        "one": PALETTE["summary"],
        "two": PALETTE["rival"],
    }
    assert axes.get_xlabel() == "words"


@pytest.mark.parametrize(
    ("groups", "lines", "says"),
    [
        ([], LINES, "groups: got"),
        (GROUPS, {}, "lines: got"),
        (GROUPS, {"one": ([[0.5]], "summary")}, "lines.*3 shares"),
        (GROUPS, {"one": ([[0.5, 2, 0]], "summary")}, "lines.*shares from 0 to 1"),
        (GROUPS, {"one": ([], "summary")}, "lines.*3 shares"),
        (GROUPS, {"one": ([[0, 0, 0]], "pink")}, "lines.*a colour among"),
    ],
)
def test_bad_input_is_refused_by_name(groups, lines, says):
    with pytest.raises(ValueError, match=says):
        by_length(groups, lines, x_name="words")


def calls():
    return {
        by_length: {"groups": [(1, 3), (4, 9)], "lines": {"one": ([[0.9, 0.2]], "summary")}, "x_name": "words"},
    }


def good():
    return {
        by_length: {"x_name": {"word"}},
    }
