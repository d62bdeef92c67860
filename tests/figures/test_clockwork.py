import numpy as np
import pytest

from attend.figures import clockwork
from attend.figures.style import PALETTE


def test_each_wave_stands_over_the_one_that_was_wanted(drawn):
    wanted, one, two = np.sin(np.arange(9)), np.zeros(9), np.ones(9)
    made = {"plain": (one, "rival"), "clocks": (two, "summary")}
    clockwork.waves(wanted, made, x_name="step", y_name="wave", wanted_name="recorded")
    assert len(drawn[0].axes) == 2
    for axes, values in zip(drawn[0].axes, (one, two), strict=True):
        assert [line.get_ydata().tolist() for line in axes.lines] == [wanted.tolist(), values.tolist()]
    assert drawn[0].axes[1].lines[1].get_color() == PALETTE["summary"]
    assert {text.get_text() for axes in drawn[0].axes for text in axes.texts} == {"recorded", "plain", "clocks"}


def test_bad_input_is_refused_by_name():
    names = {"x_name": "x", "y_name": "y", "wanted_name": "w"}
    with pytest.raises(ValueError, match="made: got"):
        clockwork.waves([1, 2], {}, **names)
    with pytest.raises(ValueError, match="x: got"):
        clockwork.waves([1, 2], {"a": ([1, 2], "rival")}, x=[1], **names)
    with pytest.raises(ValueError, match=r"made\['a'\]: got"):
        clockwork.waves([1, 2], {"a": ([1], "rival")}, **names)


def calls():
    return {
        clockwork.waves: {
            "wanted": [0.0, 1.0],
            "made": {"a": ([0.5, 0.5], "summary")},
            "x": [0.0, 1.0],
            "x_name": "step",
            "y_name": "wave",
            "wanted_name": "recorded",
        },
    }


def good():
    return {
        clockwork.waves: {"x_name": {"word"}, "y_name": {"word"}, "wanted_name": {"word"}},
    }
