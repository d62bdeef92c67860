import numpy as np
import pytest

from attend.figures import clockwork
from attend.figures.style import PALETTE


def test_a_dot_for_each_tick_and_a_square_for_each_connection(drawn):
    periods = (1, 2, 4)
    ticks = np.arange(8)[:, None] % np.array(periods) == 0
    reach = np.triu(np.ones((3, 3), dtype=bool))
    clockwork.ticking(ticks, reach, periods)
    when, who = drawn[0].axes
    dots = [line for line in when.lines if line.get_marker() == "o"]
    assert [line.get_xdata().tolist() for line in dots] == [list(range(8)), [0, 2, 4, 6], [0, 4]]
    squares = {tuple(at) for at in who.collections[0].get_offsets().astype(int).tolist()}
    assert squares == {(0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2)}
    assert [text.get_text() for text in when.get_yticklabels()] == ["1", "2", "4"]


def test_each_wave_stands_over_the_one_that_was_wanted(drawn):
    wanted, one, two = np.sin(np.arange(9)), np.zeros(9), np.ones(9)
    made = {"plain": (one, "rival"), "clocks": (two, "summary")}
    clockwork.waves(wanted, made, x_name="step", y_name="wave", wanted_name="recorded")
    assert len(drawn[0].axes) == 2
    for axes, values in zip(drawn[0].axes, (one, two), strict=True):
        assert [line.get_ydata().tolist() for line in axes.lines] == [wanted.tolist(), values.tolist()]
    assert drawn[0].axes[1].lines[1].get_color() == PALETTE["summary"]
    assert {text.get_text() for axes in drawn[0].axes for text in axes.texts} == {"recorded", "plain", "clocks"}


def test_a_dot_for_each_seed_and_a_line_through_their_means(drawn):
    clockwork.parts((1, 2), [[0.1, 0.2], [0.3, 0.4]], [[1, 2], [3, 6]])
    left, right = drawn[0].axes
    assert left.lines[0].get_ydata() == pytest.approx([0.2, 0.3])
    assert right.lines[0].get_ydata() == pytest.approx([2, 4])
    assert len(left.lines) == 3


def test_bad_input_is_refused_by_name():
    for ticks, reach in (([[True]], [[True]]), ([[True, True]], [[True]]), (np.zeros((0, 2)), np.zeros((2, 2)))):
        with pytest.raises(ValueError, match=r"(ticks|reach): got"):
            clockwork.ticking(ticks, reach, (1, 2))
    names = {"x_name": "x", "y_name": "y", "wanted_name": "w"}
    with pytest.raises(ValueError, match="made: got"):
        clockwork.waves([1, 2], {}, **names)
    with pytest.raises(ValueError, match="x: got"):
        clockwork.waves([1, 2], {"a": ([1, 2], "rival")}, x=[1], **names)
    with pytest.raises(ValueError, match=r"made\['a'\]: got"):
        clockwork.waves([1, 2], {"a": ([1], "rival")}, **names)
    with pytest.raises(ValueError, match="stopped: got"):
        clockwork.parts((1, 2), [[1, 2]], [[1]])


def calls():
    return {
        clockwork.ticking: {
            "ticks": [[True, True], [True, False]],
            "reach": [[True, True], [False, True]],
            "periods": (1, 2),
        },
        clockwork.waves: {
            "wanted": [0.0, 1.0],
            "made": {"a": ([0.5, 0.5], "summary")},
            "x": [0.0, 1.0],
            "x_name": "step",
            "y_name": "wave",
            "wanted_name": "recorded",
        },
        clockwork.parts: {"periods": (1, 2), "said": [[0.1, 0.2]], "stopped": [[1.0, 2.0]]},
    }


def good():
    return {
        clockwork.waves: {"x_name": {"word"}, "y_name": {"word"}, "wanted_name": {"word"}},
    }
