import numpy as np
import pytest

from attend.figures import ablation
from attend.figures.ablation import changes
from attend.figures.style import PALETTE

ROWS = {"1 head": ([5.0, 4.0, 6.0], "cannot tell"), "no positions": ([86.0, 87.5], "worse"), "more": ([1.0], "better")}


def test_a_dot_for_each_seed_and_a_band_for_the_base(drawn):
    changes(ROWS, base=[3.0, 5.0, 4.0], within=2.0, x_name="mistakes (%)", ticks=[1, 10, 100])
    axes = drawn[0].axes[0]
    base, same, worse, better = axes.lines
    assert np.allclose(base.get_xdata(), [3, 5, 4])
    assert [set(line.get_ydata()) for line in axes.lines] == [{0}, {1}, {2}, {3}]
    assert [line.get_markerfacecolor() for line in (same, worse, better)] == [
        "none",
        PALETTE["error"],
        PALETTE["summary"],
    ]
    band = axes.patches[0].get_extents().transformed(axes.transData.inverted())
    assert (band.x0, band.x1) == (pytest.approx(2), pytest.approx(6))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["base", *ROWS]
    assert [label.get_text() for label in axes.get_xticklabels()] == ["1", "10", "100"]
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] > axes.get_ylim()[1]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"rows": {}}, "rows: got"),
        ({"rows": {"a": ([], "worse")}}, r"rows\['a'\]: got .*expected at least one value"),
        ({"rows": {"a": ([0.0], "worse")}}, r"rows\['a'\]: got .*above 0"),
        ({"rows": {"a": ([1.0], "bad")}}, r"rows\['a'\]: got 'bad'.*expected a verdict among"),
        ({"base": [1.0, float("inf")]}, "base: got"),
        ({"ticks": [0.0, 1.0]}, "ticks: got"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(change, says):
    with pytest.raises(ValueError, match=says):
        changes(**({"rows": ROWS, "base": [1.0], "within": 1.0, "x_name": "x", "ticks": [1.0]} | change))


def calls():
    return {
        ablation.changes: {
            "rows": {"1 head": ([2.0, 3.0], "worse")},
            "base": [1.0, 1.5],
            "within": 0.5,
            "x_name": "mistakes (%)",
            "ticks": [1.0, 10.0],
        },
    }


def good():
    return {
        ablation.changes: {"x_name": {"word"}},
    }
