"""The error surface is drawn with the paths on it, and refuses what it cannot draw."""

import pytest
import torch

from attend.figures import gradients

EXTENT = (0.0, 2.0, -1.0, 1.0)


def test_each_path_is_drawn_and_named_where_it_leaves(drawn):
    paths = {"far": ([(1.0, 0.0), (1.5, 0.5), (2.5, 1.5)], "input"), "near": ([(1.0, 0.0), (0.5, 0.5)], "summary")}
    gradients.surface(torch.rand(4, 5), EXTENT, paths, x_name="u", y_name="b")
    (axes,) = drawn[0].axes
    assert [len(line.get_xdata()) for line in axes.lines] == [3, 2]
    assert [text.xy for text in axes.texts] == [(2.0, 1.0), (0.5, 0.5)]


@pytest.mark.parametrize(
    ("losses", "path", "named"),
    [
        (torch.zeros(2, 2), ([(1.0, 0.0)], "input"), "losses: got"),
        (torch.ones(2, 2), ([(1.0, 0.0)], "red"), "paths.*: got"),
        (torch.ones(2, 2), ([(5.0, 0.0)], "input"), "paths.*: got"),
    ],
)
def test_bad_input_is_refused_by_name(losses, path, named):
    with pytest.raises(ValueError, match=named):
        gradients.surface(losses, EXTENT, {"a": path}, x_name="u", y_name="b")


def calls():
    return {
        gradients.surface: {
            "losses": torch.ones(2, 3),
            "extent": EXTENT,
            "paths": {"a": ([(1.0, 0.0)], "input")},
            "x_name": "u",
            "y_name": "b",
        },
    }


def good():
    return {
        gradients.surface: {"x_name": {"word"}, "y_name": {"word"}},
    }
