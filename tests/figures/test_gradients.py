"""Pictures of fading and of training are drawn, and refuse what they cannot draw."""

import numpy as np
import pytest

from attend.figures import gradients


def test_by_lag_draws_two_lines_a_radius_on_a_logarithmic_scale(drawn):
    rows = np.array([[1.0, 0.5, 0.25], [1.0, 1.0, 1.0]])
    gradients.by_lag([0.5, 1.0], rows, rows / 2)
    (axes,) = drawn[0].axes
    assert len(axes.lines) == 4
    assert axes.get_yscale() == "log"
    assert [line.get_linestyle() for line in axes.lines] == ["--", "-", "--", "-"]


def test_the_names_of_lines_that_end_together_stand_apart(drawn, clear):
    rows = np.array([[1.0, 1.0], [1.0, 1.001], [1.0, 1e-3]])
    gradients.by_lag([0.5, 1.0, 1.3], rows, rows)
    texts = drawn[0].axes[0].texts
    assert len(texts) == 6
    assert clear(texts)


def test_training_draws_each_run(drawn):
    runs = [[1.0] * 12, [0.5] * 12, [0.2] * 12]
    gradients.training(runs, runs[:1], runs[0])
    left, right = drawn[0].axes
    assert (len(left.lines), len(right.lines)) == (4, 1)
    assert len(left.lines[0].get_xdata()) == 3


@pytest.mark.parametrize(
    ("draw", "named"),
    [
        (lambda: gradients.by_lag([], np.ones((1, 3)), np.ones((1, 3))), "radii: got"),
        (lambda: gradients.by_lag([1.0], np.ones((2, 3)), np.ones((1, 3))), "linear: got"),
        (lambda: gradients.by_lag([1.0], np.ones((1, 3)), np.zeros((1, 3))), "squashed: got"),
        (lambda: gradients.training([[1.0] * 12], [[1.0] * 3], [1.0] * 12), "clipped: got"),
        (lambda: gradients.training([[0.0] * 12], [[1.0] * 12], [1.0] * 12), "free: got"),
    ],
)
def test_bad_input_is_refused_by_name(draw, named):
    with pytest.raises(ValueError, match=named):
        draw()


def calls():
    RUNS = [[1.0] * 12]
    return {
        gradients.by_lag: {"radii": [0.5], "linear": np.ones((1, 4)), "squashed": np.ones((1, 4))},
        gradients.training: {"free": RUNS, "clipped": RUNS, "norms": RUNS[0]},
    }
