import pytest
import torch
from torch import tensor

from attend.figures import series


def texts(axes):
    return [text.get_text() for text in axes.texts]


def test_entered_numbers_each_entrance_and_fills_what_is_inside(drawn):
    series.entered(tensor([0.5, 2.0, 1.0, -1.0]), tensor([1, 1, 2, 2]))
    (axes,) = drawn[0].axes
    assert texts(axes) == ["1", "2"]
    assert [line.get_xdata().tolist() for line in axes.lines[1:]] == [[1, 3], [2, 4]]


def test_together_ends_each_count_with_its_number(drawn):
    t = torch.arange(5.0)
    records = [(t, t, tensor([0, 1, 1, 2, 2]), "day"), (t, t, tensor([0, 0, 0, 0, 7]), "hour")]
    series.together(records, (1, 2), "°C")
    assert [texts(axes) for axes in drawn[0].axes[2:]] == [["2"], ["7"]]
    assert drawn[0].axes[2].get_xlabel() == "day"


def test_a_collision_says_the_same_count_and_then_another(drawn):
    series.collision(tensor([-1.0, 0.5]), tensor([0.5, 2.0]), coming=0.5)
    assert [texts(axes) for axes in drawn[0].axes] == [["count 1", "then 1"], ["count 1", "then 2"]]


@pytest.mark.parametrize(
    ("draw", "arguments"),
    [
        (series.entered, (tensor([0.0]), tensor([0, 1]))),
        (series.entered, (torch.zeros(0), torch.zeros(0, dtype=torch.long))),
        (series.together, ([], (0, 1), "x")),
        (series.together, ([(tensor([0]), tensor([1, 2]), tensor([0, 1]), "t")], (0, 1), "x")),
        (series.collision, (torch.zeros(0), tensor([0.5]), 0.5)),
    ],
)
def test_parts_that_do_not_fit_are_refused(drawn, draw, arguments):
    with pytest.raises(ValueError, match="got"):
        draw(*arguments)


def test_a_long_series_is_one_line(drawn):
    series.long(torch.arange(4.0), tensor([0.0, 2.0, 1.0, 3.0]), (1, 2), "day", "°C")
    (axes,) = drawn[0].axes
    assert axes.lines[0].get_ydata().tolist() == [0, 2, 1, 3]


def calls():
    T = torch.arange(3.0)
    X = torch.tensor([0.5, 2.0, 0.25])
    COUNTS = torch.tensor([1, 1, 2])
    return {
        series.entered: {"x": X, "counts": COUNTS, "band": (0.0, 1.0)},
        series.long: {"time": T, "x": X, "band": (0.0, 1.0), "x_name": "day", "y_name": "°C"},
        series.together: {"records": [(T, X, COUNTS, "day")], "band": (0.0, 1.0), "y_name": "°C"},
        series.collision: {"first": X, "second": X[:2], "coming": 0.5, "band": (0.0, 1.0)},
    }


def good():
    return {
        series.together: {"y_name": {"word"}},
        series.long: {"x_name": {"word"}, "y_name": {"word"}},
    }
