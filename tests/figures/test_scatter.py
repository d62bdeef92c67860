"""Points, and levels with their names."""

import pytest
import torch

from attend.figures.scatter import scatter

POINTS = torch.tensor([1.0, 3.0])


def test_points_levels_and_axes(drawn):
    scatter(POINTS, POINTS + 1, x_name="duration", y_name="wait", levels={"mean": (3.0, "rival")})
    (axes,) = drawn[0].axes
    assert axes.lines[0].get_ydata().tolist() == [2, 4]
    assert [text.get_text() for text in axes.texts] == ["mean"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("duration", "wait")


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="x: got"):
        scatter(POINTS[:0], POINTS[:0], x_name="x", y_name="y")
    with pytest.raises(ValueError, match=r"levels\['a'\]: got 'pink'"):
        scatter(POINTS, POINTS, x_name="x", y_name="y", levels={"a": (1.0, "pink")})


def calls():
    return {
        scatter: {
            "x": POINTS,
            "y": POINTS,
            "x_name": "x",
            "y_name": "y",
            "levels": {"a": (1.0, "rival")},
            "height": 2.0,
        }
    }


def good():
    return {scatter: {"x_name": {"word"}, "y_name": {"word"}}}
