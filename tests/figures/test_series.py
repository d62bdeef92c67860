from contextlib import contextmanager

import matplotlib.pyplot as plt
import numpy as np
import pytest

from attend.figures import series


@pytest.fixture
def drawn(monkeypatch):
    """What was drawn, in place of being shown."""
    plt.switch_backend("agg")
    kept = []
    real = series.canvas

    @contextmanager
    def keeping(*args, **kwargs):
        with real(*args, **kwargs) as (figure, axes):
            yield figure, axes
            figure.canvas.draw()
            kept.append(figure)

    monkeypatch.setattr(series, "canvas", keeping)
    return kept


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_entered_numbers_each_entrance_and_fills_what_is_inside(drawn):
    series.entered([0.5, 2.0, 1.0, -1.0], [1, 1, 2, 2])
    (axes,) = drawn[0].axes
    assert texts(axes) == ["1", "2"]
    assert [line.get_xdata().tolist() for line in axes.lines[1:]] == [[1, 3], [2, 4]]


def test_together_ends_each_count_with_its_number(drawn):
    t = np.arange(5)
    series.together([(t, t, [0, 1, 1, 2, 2], "day"), (t, t, [0, 0, 0, 0, 7], "hour")], (1, 2), "°C")
    assert [texts(axes) for axes in drawn[0].axes[2:]] == [["2"], ["7"]]
    assert drawn[0].axes[2].get_xlabel() == "day"


def test_a_collision_says_the_same_count_and_then_another(drawn):
    series.collision([-1.0, 0.5], [0.5, 2.0], coming=0.5)
    assert [texts(axes) for axes in drawn[0].axes] == [["count 1", "then 1"], ["count 1", "then 2"]]


def test_steps_draw_both_lines(drawn):
    x = np.linspace(-1, 2, 31)
    series.steps(x, (x >= 0) & (x <= 1), np.clip(x + 1, 0, 1))
    assert texts(drawn[0].axes[0]) == ["steps", "ramps of ReLUs"]


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (series.entered, ([0.0], [0, 1])),
        (series.entered, ([], [])),
        (series.together, ([], (0, 1), "x")),
        (series.together, ([([0], [1, 2], [0, 1], "t")], (0, 1), "x")),
        (series.collision, ([], [0.5], 0.5)),
        (series.steps, ([0.0], [0.0], [0.0, 1.0])),
    ],
)
def test_parts_that_do_not_fit_are_refused(drawn, draw, arguments):
    with pytest.raises(ValueError, match="got"):
        draw(*arguments)
