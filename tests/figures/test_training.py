import math

import pytest

from attend.figures import training

RUNS = {"rate": {"1": ([3, 2], "error"), "10": ([2, 1], "summary")}, "batch": {"4": ([1, 2], "input")}}
PLACES = {"a": (0.0, 1.0, "input"), "b": (1.0, -1.0, "summary")}


def test_each_panel_has_its_lines_and_each_token_its_place(drawn):
    training.panels(RUNS, x_name="step", y_name="loss", y_range=(0, 4))
    training.named(PLACES, x_name="first", y_name="second")
    (rate, batch), (plane,) = (figure.axes for figure in drawn)
    assert [list(line.get_ydata()) for line in rate.lines] == [[3, 2], [2, 1]]
    assert len(batch.lines) == 1
    assert {text.get_text(): text.get_position() for text in plane.texts} == {"a": (0, 1), "b": (1, -1)}


@pytest.mark.parametrize(
    "runs", [{}, {"rate": {}}, {"rate": {"1": ([], "error")}}, {"rate": {"1": ([math.nan], "error")}}]
)
def test_runs_that_are_none_are_refused(runs):
    with pytest.raises(ValueError, match="runs"):
        training.panels(runs, x_name="step", y_name="loss")


@pytest.mark.parametrize("places", [{}, {"a": (math.inf, 0.0, "input")}, {"a": (0.0, 0.0, "pink")}])
def test_places_that_are_none_are_refused(places):
    with pytest.raises(ValueError, match="places"):
        training.named(places, x_name="first", y_name="second")


def calls():
    return {
        training.panels: {"runs": RUNS, "x_name": "step", "y_name": "loss", "y_range": (0.0, 4.0)},
        training.named: {"places": PLACES, "x_name": "first", "y_name": "second"},
    }


def good():
    names = {"x_name": {"word"}, "y_name": {"word"}}
    return {training.panels: names, training.named: names}
