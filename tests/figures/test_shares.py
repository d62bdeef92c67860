import math
from contextlib import contextmanager

import matplotlib.pyplot as plt
import pytest

from attend.figures import shares as module
from attend.figures.shares import shares

PANELS = {
    "place": {"left": ([0.7, 0.8], 0.9), "both": ([1.0], 1.0)},
    "column": {"left": ([0.1], 0.2), "both": ([1], 1)},
}


@pytest.fixture
def kept(monkeypatch):
    """What was drawn, in place of being shown."""
    plt.switch_backend("agg")
    figures, real = [], module.canvas

    @contextmanager
    def keeping(*args, **kwargs):
        with real(*args, **kwargs) as (figure, axes):
            yield figure, axes
            figure.canvas.draw()
            figures.append(figure)

    monkeypatch.setattr(module, "canvas", keeping)
    return figures


def test_each_row_has_its_dots_and_its_ceiling(kept):
    shares(PANELS, x_name="share", y_name="heard")
    place, column = kept[0].axes
    assert [list(line.get_xdata()) for line in place.lines] == [[0.9, 0.9], [0.7, 0.8], [1.0, 1.0], [1.0]]
    assert [list(line.get_ydata()) for line in column.lines][1::2] == [[0], [1]]
    assert [tick.get_text() for tick in place.get_yticklabels()] == ["left", "both"]
    assert [axes.texts[0].get_text() for axes in kept[0].axes] == ["place", "column"]


@pytest.mark.parametrize(
    "panels",
    [
        {},
        {"place": {}},
        {"place": {"left": ([], 1.0)}},
        {"place": {"left": ([1.2], 1.0)}},
        {"place": {"left": ([0.2], math.nan)}},
        {"place": {"left": ([0.2], 1.0)}, "column": {"right": ([0.2], 1.0)}},
    ],
)
def test_what_is_no_share_is_refused(kept, panels):
    with pytest.raises(ValueError, match="panels"):
        shares(panels, x_name="share", y_name="heard")


def calls():
    return {
        shares: {"panels": {"place": {"left": ([0.5], 0.6)}}, "x_name": "share", "y_name": "heard"},
    }


def good():
    return {
        shares: {"x_name": {"word"}, "y_name": {"word"}},
    }
