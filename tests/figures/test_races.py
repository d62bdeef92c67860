"""Runners with their seeds, and names that do not touch."""

import pytest

from attend.figures.races import race
from attend.figures.style import PALETTE

ROWS = [[1.0, 0.9, 0.6], [0.8, 0.7, 0.4]]
AT_THE_TOP = [[0.2, 0.9, 1.0], [0.1, 0.7, 1.0]]


def test_seeds_are_pale_and_means_are_not(drawn):
    race({"ours": (ROWS, "summary"), "theirs": (ROWS[:1], "rival")}, places=[8, 12, 96], x_name="words", y_name="share")
    (axes,) = drawn[0].axes
    solid = [line for line in axes.lines if line.get_alpha() is None]
    assert [line.get_color() for line in solid] == [PALETTE["summary"], PALETTE["rival"]]
    assert solid[0].get_ydata().tolist() == pytest.approx([0.9, 0.8, 0.5])
    assert (solid[0].get_linestyle(), solid[1].get_linestyle()) == ("-", "--")
    assert len(axes.lines) == 5


def test_names_of_lines_that_end_at_the_top_are_in_the_picture_and_do_not_touch(drawn, clear):
    names = ["one", "two", "three", "four"]
    race(dict.fromkeys(names, (AT_THE_TOP, "summary")), places=[8, 12, 96], x_name="step", y_name="share")
    (axes,) = drawn[0].axes
    assert [text.get_text() for text in axes.texts] == names
    assert axes.texts[-1].get_window_extent().y1 <= drawn[0].bbox.y1
    assert clear(axes.texts)


def test_other_ticks_than_the_places_may_be_named(drawn):
    race({"ours": (ROWS, "summary")}, places=[8, 12, 96], x_name="words", y_name="share", ticks=[0, 100])
    assert [label.get_text() for label in drawn[0].axes[0].get_xticklabels()] == ["0", "100"]


@pytest.mark.parametrize("log", [False, True])
def test_each_place_is_a_tick(drawn, log):
    race({"ours": (ROWS, "summary")}, places=[8, 12, 96], x_name="words", y_name="share", log=log)
    (axes,) = drawn[0].axes
    assert [label.get_text() for label in axes.get_xticklabels()] == ["8", "12", "96"]
    assert axes.get_xscale() == ("log" if log else "linear")


def test_names_of_lines_that_end_together_do_not_touch_in_the_picture(drawn, clear):
    ends = {"one": 0.72, "two": 0.68, "three": 0.70, "four": 0.2}
    race({name: ([[1.0, end]], "summary") for name, end in ends.items()}, places=[1, 2], x_name="x", y_name="y")
    texts = drawn[0].axes[0].texts
    assert [text.get_text() for text in texts] == ["four", "two", "three", "one"]
    assert clear(texts)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"runners": {}}, "runners: got"),
        ({"runners": {"a": ([], "summary")}}, r"runners\['a'\]: got"),
        ({"runners": {"a": ([[0.5]], "summary")}}, r"runners\['a'\]: got .* expected rows of 2 shares"),
        ({"runners": {"a": ([[0.5, 1.5]], "summary")}}, r"runners\['a'\]: got .* expected rows of 2 shares"),
        ({"runners": {"a": ([[0.5, float("nan")]], "summary")}}, r"runners\['a'\]: got"),
        ({"runners": {"a": ([[0.5, 0.5]], "pink")}}, r"runners\['a'\]: got 'pink'"),
        ({"places": [0.0, 1.0], "log": True}, "places: got"),
        ({"ticks": []}, "ticks: got"),
        ({"ticks": [0.0], "log": True}, "ticks: got"),
    ],
)
def test_bad_runners_are_refused(change, message):
    good = {"runners": {"a": ([[0.5, 0.5]], "summary")}, "places": [1.0, 2.0], "x_name": "x", "y_name": "y"}
    with pytest.raises(ValueError, match=message):
        race(**{**good, **change})


def calls():
    return {
        race: {
            "runners": {"ours": ([[1.0, 0.5]], "summary")},
            "places": [8.0, 96.0],
            "x_name": "words a turn",
            "y_name": "share of exact answers",
            "log": True,
            "ticks": [8.0],
        },
    }


def good():
    return {
        race: {"x_name": {"word"}, "y_name": {"word"}},
    }
