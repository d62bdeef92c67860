"""Pictures of learning to count: a puzzle, predictions by moment, a grid of shares."""

import pytest
import torch

from attend.figures import counting


def test_a_puzzle_has_a_panel_and_a_number_for_each_series(drawn):
    counting.puzzle(torch.zeros(4, 5), [3, 0, 2, 1])
    panels = drawn[0].axes
    assert [text.get_text() for axes in panels for text in axes.texts] == ["3", "0", "2", "1"]
    assert [axes.axison for axes in panels] == [True] * 4 + [False] * 2


def test_what_is_right_lies_near_the_diagonal(drawn):
    counting.predicted({"at first": ([0, 3], [1.5, 1.5]), "at the end": ([0, 3], [0.0, 3.0])})
    first, last = drawn[0].axes
    assert first.lines[1].get_ydata().tolist() == [1.5, 1.5]
    assert abs(last.lines[1].get_xdata() - [0, 3]).max() < 0.25
    assert [axes.texts[0].get_text() for axes in (first, last)] == ["at first", "at the end"]


def test_a_grid_of_shares_names_each(drawn):
    counting.heat({"1": {"2": 0.25, "4": 0.5}, "2": {"2": 0.75, "4": 1.0}}, x_name="units", y_name="layers")
    (axes,) = drawn[0].axes
    assert axes.images[0].get_array().tolist() == [[0.25, 0.5], [0.75, 1.0]]
    assert [text.get_text() for text in axes.texts] == ["0.25", "0.50", "0.75", "1.00"]
    assert axes.get_ylim()[0] < axes.get_ylim()[1]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: counting.puzzle(torch.zeros(2, 3), [1]), "numbers: got"),
        (lambda: counting.predicted({}), "panels: got"),
        (lambda: counting.predicted({"a": ([1], [1.0, 2.0])}), r"panels\['a'\]: got"),
        (lambda: counting.heat({}, x_name="x", y_name="y"), "shares: got"),
        (lambda: counting.heat({"a": {"b": 1.5}}, x_name="x", y_name="y"), r"shares\['a'\]: got"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def calls():
    return {
        counting.puzzle: {"series": torch.tensor([[0.5, 2.0, 0.25]]), "numbers": [1]},
        counting.predicted: {"panels": {"at first": ([1, 2], [0.5, 0.5])}},
        counting.heat: {"shares": {"1": {"2": 0.5}}, "x_name": "units", "y_name": "layers"},
    }


def good():
    return {counting.heat: {"x_name": {"word"}, "y_name": {"word"}}}
