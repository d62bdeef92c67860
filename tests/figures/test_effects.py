import pytest
from scipy.stats import ttest_1samp

from attend.figures.effects import effects
from attend.figures.style import PALETTE

VALUES = [0.01, 0.03, 0.02, 0.04]


def test_dots_are_seeds_and_the_bar_is_the_interval_of_their_mean(drawn):
    effects({"norm": (VALUES, "summary"), "gate": ([-0.1, 0.1], "gate")}, x_name="nats")
    axes = drawn[0].axes[0]
    zero, dots, mean, *_ = axes.lines
    assert list(zero.get_xdata()) == [0, 0]
    assert list(dots.get_xdata()) == VALUES
    assert mean.get_xdata()[0] == pytest.approx(0.025)
    ((low, _), (high, _)) = axes.collections[0].get_segments()[0]
    wanted = ttest_1samp(VALUES, 0).confidence_interval(0.95)
    assert (low, high) == pytest.approx((wanted.low, wanted.high))
    assert [label.get_text() for label in axes.get_yticklabels()] == ["norm", "gate"]
    assert axes.get_yticklabels()[1].get_color() == PALETTE["gate"]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ({}, "rows: got"),
        ({"a": ([1.0], "summary")}, r"rows\['a'\]: got .*two values at least"),
        ({"a": ([1.0, 2.0], "pink")}, r"rows\['a'\]: got 'pink'"),
    ],
)
def test_bad_rows_are_refused_by_name(rows, says):
    with pytest.raises(ValueError, match=says):
        effects(rows, x_name="nats")


def calls():
    return {effects: {"rows": {"a row": ([1.0, 2.0], "summary")}, "x_name": "nats"}}


def good():
    return {effects: {"x_name": {"word"}}}
