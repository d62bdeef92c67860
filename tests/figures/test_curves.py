"""Lines with their names at their ends."""

import pytest

from attend.figures.curves import curves
from attend.figures.style import PALETTE


def test_lines_names_and_axes(drawn):
    curves(
        {"ours": ([3.0, 2.0], "summary"), "rival": ([3.0, 2.5], "rival")}, x_name="step", y_name="loss (nat)", log="y"
    )
    (axes,) = drawn[0].axes
    assert [line.get_color() for line in axes.lines] == [PALETTE["summary"], PALETTE["rival"]]
    assert axes.lines[0].get_xdata().tolist() == [1, 2]
    assert [text.get_text() for text in axes.texts] == ["ours", "rival"]
    assert (axes.get_xlabel(), axes.get_ylabel(), axes.get_yscale()) == ("step", "loss (nat)", "log")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ({}, "lines: got"),
        ({"a": ([], "summary")}, r"lines\['a'\]: got 0"),
        ({"a": ([1.0], "summary")}, r"lines\['a'\]: got 1 .int., expected 2 values"),
        ({"a": ([1.0, 2.0], "pink")}, r"lines\['a'\]: got 'pink'"),
        ({"a": ([1.0, float("nan")], "summary")}, r"lines\['a'\]: got .* expected finite"),
    ],
)
def test_bad_lines_are_refused(lines, message):
    with pytest.raises(ValueError, match=message):
        curves(lines, x=[1.0, 2.0], x_name="x", y_name="y")


def calls():
    from attend.figures import curves

    return {
        curves.curves: {
            "lines": {"loss": ([1.0, 2.0], "summary")},
            "x": [1.0, 2.0],
            "x_name": "step",
            "y_name": "loss (nat)",
            "log": "y",
            "height": 2.0,
        },
    }


def good():
    from attend.figures import curves

    return {
        curves.curves: {"x_name": {"word"}, "y_name": {"word"}, "log": {"word"}},
    }
