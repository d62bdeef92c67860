import numpy as np
import pytest

from attend.figures.seeds import dots, traces
from attend.figures.style import PALETTE


def test_a_dot_for_each_seed_row_by_row(drawn):
    dots({"one": ([1.0, 2.0, 3.0], "summary"), "added": ([-1.0, 0.5], "rival")}, x_name="pull (log-odds)")
    axes = drawn[0].axes[0]
    _, one, added = axes.lines
    assert np.allclose(one.get_xdata(), [1, 2, 3])
    assert set(one.get_ydata()) == {0}
    assert np.allclose(added.get_xdata(), [-1, 0.5])
    assert set(added.get_ydata()) == {1}
    assert (one.get_markerfacecolor(), added.get_markerfacecolor()) == (PALETTE["summary"], "none")
    assert [label.get_text() for label in axes.get_yticklabels()] == ["one", "added"]
    assert axes.get_ylim()[0] > axes.get_ylim()[1]
    assert axes.get_xlabel() == "pull (log-odds)"


def test_a_line_for_each_seed_and_places_left_out(drawn):
    rows = [[1.0, None, 0.5], [0.9, None, 0.7]]
    traces({"words": (rows, "summary"), "guess": ([[0.1, 0.1, 0.2]], "rival")}, x_name="place", y_name="share")
    axes = drawn[0].axes[0]
    first, second, guess = axes.lines
    assert np.allclose(first.get_xdata(), [1, 3])
    assert np.allclose(second.get_ydata(), [0.9, 0.7])
    assert (first.get_linestyle(), guess.get_linestyle()) == ("-", "--")
    names = {text.get_text(): text.xy for text in axes.texts}
    assert names == {"words": pytest.approx((3, 0.6)), "guess": pytest.approx((3, 0.2))}


def test_bad_rows_and_lines_are_refused_by_name():
    with pytest.raises(ValueError, match="rows: got"):
        dots({}, x_name="x")
    with pytest.raises(ValueError, match=r"rows\['a'\]: got .*expected at least one value"):
        dots({"a": ([], "summary")}, x_name="x")
    with pytest.raises(ValueError, match=r"rows\['a'\]: got 'pink'.*expected a colour"):
        dots({"a": ([1.0], "pink")}, x_name="x")
    with pytest.raises(ValueError, match="lines: got"):
        traces({}, x_name="x", y_name="y")
    with pytest.raises(ValueError, match=r"lines\['a'\]: got .*expected a row for each seed"):
        traces({"a": ([], "summary")}, x_name="x", y_name="y")
    with pytest.raises(ValueError, match=r"lines\['a'\]: got .*expected at least one value"):
        traces({"a": ([[None, None]], "summary")}, x_name="x", y_name="y")


def calls():
    return {
        dots: {"rows": {"a row": ([1.0, 2.0], "summary")}, "x_name": "pull (log-odds)"},
        traces: {
            "lines": {"a line": ([[1.0, None, 0.5]], "summary")},
            "x_name": "place",
            "y_name": "share",
            "y_range": (0.0, 1.0),
        },
    }


def good():
    return {
        dots: {"x_name": {"word"}},
        traces: {"x_name": {"word"}, "y_name": {"word"}},
    }
