"""Lessons over steps: seeds and means, and names that are all in the picture."""

import itertools

import pytest

from attend.figures.lessons import lessons
from attend.figures.style import PALETTE

ROWS = [[0.2, 0.9, 1.0], [0.1, 0.7, 1.0]]


def test_seeds_are_pale_and_means_are_not(drawn):
    lessons(
        {"ours": (ROWS, "summary"), "theirs": (ROWS[:1], "rival")}, steps=[0, 50, 100], x_name="step", y_name="share"
    )
    (axes,) = drawn[0].axes
    solid = [line for line in axes.lines if line.get_alpha() is None]
    assert [line.get_color() for line in solid] == [PALETTE["summary"], PALETTE["rival"]]
    assert solid[0].get_ydata().tolist() == pytest.approx([0.15, 0.8, 1.0])
    assert (solid[0].get_linestyle(), solid[1].get_linestyle()) == ("-", "--")
    assert len(axes.lines) == 5


def test_names_of_lines_that_end_at_the_top_are_in_the_picture_and_do_not_touch(drawn):
    names = ["one", "two", "three", "four"]
    lessons(dict.fromkeys(names, (ROWS, "summary")), steps=[0, 50, 100], x_name="step", y_name="share")
    (axes,) = drawn[0].axes
    texts = sorted(axes.texts, key=lambda text: text.xy[1])
    assert [text.get_text() for text in texts] == names
    assert texts[-1].xy[1] < axes.get_ylim()[1]
    boxes = [text.get_window_extent() for text in texts]
    assert all(above.y0 >= below.y1 for below, above in itertools.pairwise(boxes))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lines": {}}, "lines: got"),
        ({"steps": [1]}, "steps: got"),
        ({"lines": {"a": ([], "summary")}}, r"lines\['a'\]: got"),
        ({"lines": {"a": ([[0.1, 0.2]], "summary")}}, r"lines\['a'\]: got"),
        ({"lines": {"a": ([[0.1, 0.2, 1.2]], "summary")}}, r"lines\['a'\]: got"),
        ({"lines": {"a": (ROWS, "purple")}}, r"lines\['a'\]: got"),
    ],
)
def test_what_is_no_lesson_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        lessons(**{"lines": {"a": (ROWS, "summary")}, "steps": [0, 50, 100], "x_name": "x", "y_name": "y"} | change)
