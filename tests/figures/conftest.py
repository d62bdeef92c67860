"""What the tests of the pictures share: the figures that a function shows, drawn to the last pixel."""

from itertools import pairwise

import matplotlib.pyplot as plt
import pytest


@pytest.fixture
def displayed(monkeypatch):
    """What a module displays from now on, as text: `displayed(module)` is a list that grows."""

    def from_now_on(module):
        kept = []
        monkeypatch.setattr(module, "display", lambda what: kept.append(what.data))
        return kept

    return from_now_on


@pytest.fixture
def clear():
    """`clear(texts)`: does each text of a drawn picture stand above the last, without touching it?"""

    def each_above_the_last(texts):
        boxes = [text.get_window_extent() for text in texts]
        return all(below.y1 <= above.y0 for below, above in pairwise(boxes))

    return each_above_the_last


@pytest.fixture
def drawn(monkeypatch):
    """The figures that a function shows, in their order, kept to be looked into after it has closed them."""
    plt.switch_backend("agg")
    kept = []

    def show():
        figure = plt.gcf()
        figure.canvas.draw()
        kept.append(figure)

    monkeypatch.setattr(plt, "show", show)
    return kept
