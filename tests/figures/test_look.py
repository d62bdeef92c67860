"""Weights in small panels, and estimators by bias and noise."""

import pytest

from attend.figures.look import trade, weights


def test_bars_have_the_heights_of_the_weights(drawn):
    weights({"soft": {"one": (0.5, 0.5), "two": (1.0, 0.0)}, "hard": {"a": (0.0, 1.0), "b": (0.2, 0.8)}}, ["A", "B"])
    panels = drawn[0].axes
    assert [[bar.get_height() for bar in panel.patches] for panel in panels] == [[0.5, 0.5], [1, 0], [0, 1], [0.2, 0.8]]


def test_points_and_paths_stand_where_they_are_measured(drawn):
    trade({"exact": ((0.0, 2.0), "ink")}, {"soft": ({0.5: (0.1, 3.0), 2: (0.4, 0.3)}, "gate")}, x_name="x", y_name="y")
    (axes,) = drawn[0].axes
    path, point = axes.lines
    assert (path.get_xdata().tolist(), path.get_ydata().tolist()) == ([0.1, 0.4], [3.0, 0.3])
    assert (point.get_xdata().tolist(), point.get_ydata().tolist()) == ([0.0], [2.0])
    assert {text.get_text() for text in axes.texts} == {"0.5", "2", "soft", "exact"}


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match=r"rows\['a'\]\['b'\]: got"):
        weights({"a": {"b": (0.5, 1.5)}}, ["A", "B"])
    with pytest.raises(ValueError, match="points: got"):
        trade({"a": ((0.0, 0.0), "ink")}, {}, x_name="x", y_name="y")


def calls():
    return {
        weights: {"rows": {"a": {"b": (0.5, 0.5)}}, "names": ["A", "B"]},
        trade: {"points": {"a": ((0.0, 1.0), "ink")}, "paths": {}, "x_name": "x", "y_name": "y"},
    }


def good():
    return {trade: {"x_name": {"word"}, "y_name": {"word"}}}
