"""The picture of the speeds: a panel for each unit and each thing that grows, and no unit without a measurement."""

import matplotlib.pyplot as plt
import pytest
from PIL import Image

from attend.figures.speed import speed

BASE = {"B": 2, "T": 10, "H": 4}


def row(unit, does="forward", threads=1, ratio=1.0, fused=True, **size):
    near = {"ratio": ratio, "ratio_low": ratio / 1.1, "ratio_high": ratio * 1.1}
    return {"unit": unit, "does": does, "threads": threads, "fused": fused, **BASE, **size, **near}


ROWS = [
    row(unit, does, threads, ratio, **size)
    for unit in ("GRU", "LSTM")
    for does, ratio in (("forward", 2.0), ("forward+backward", 0.5))
    for threads in (1, 2)
    for size in ({}, {"T": 20}, {"H": 8})
] + [row("LSTM", "forward+backward", fused=False)]


@pytest.fixture
def shown(monkeypatch):
    figures = []
    monkeypatch.setattr(plt, "show", lambda: figures.append(plt.gcf()))
    return figures


def test_every_unit_has_its_two_panels_with_the_lines_of_its_size(shown):
    speed(ROWS, ["GRU", "LSTM"], BASE)
    (figure,) = shown
    gru_T, lstm_T, gru_H, lstm_H = figure.axes
    assert (gru_T.get_xlabel(), gru_H.get_xlabel()) == ("steps T", "width H")
    assert [len(axes.lines) for axes in (gru_T, lstm_T, gru_H, lstm_H)] == [5, 6, 5, 6]  # with the line at 1
    assert list(gru_T.lines[1].get_xdata()) == [10, 20]
    assert list(gru_H.lines[1].get_xdata()) == [4, 8]
    assert {line.get_linestyle() for line in gru_T.lines[1:]} == {"-", "--"}


def test_it_is_written_where_it_was_asked_for(shown, tmp_path):
    speed(ROWS, ["GRU"], BASE, tmp_path / "speed.png")
    with Image.open(tmp_path / "speed.png") as picture:
        assert picture.width == pytest.approx(5.4 * 144, abs=2)


def test_a_unit_that_was_not_measured_is_refused(shown):
    with pytest.raises(ValueError, match=r"units: got 'RNN' \(str\), expected a unit that was measured"):
        speed(ROWS, ["RNN"], BASE)


def test_what_does_not_grow_has_no_panels(shown):
    only_T = [row("at once", does, T=T) for does in ("forward", "forward+backward") for T in (10, 20)]
    speed(only_T, ["at once"], BASE)
    (axes,) = shown[0].axes
    assert axes.get_xlabel() == "steps T"
    assert "torch unfused" not in {text.get_text() for text in axes.texts}
    with pytest.raises(ValueError, match="rows: got"):
        speed([row("at once")], ["at once"], BASE)


def test_whose_times_is_named_and_a_single_way_is_not(shown):
    speed([row("greedy", T=T) for T in (10, 20)], ["greedy"], BASE, what="kept / anew")
    (axes,) = shown[0].axes
    assert axes.get_ylabel() == "time, kept / anew"
    assert {text.get_text() for text in axes.texts} == {"greedy"}


def test_ratios_that_are_all_near_one_are_told_apart(shown):
    for ratio, wanted in ((0.95, {0.9, 1.1}), (3.0, {2, 4})):
        speed([row("greedy", T=T, ratio=ratio) for T in (10, 20)], ["greedy"], BASE)
        assert wanted <= set(shown[-1].axes[0].get_yticks())


def calls():
    from attend.figures import speed

    ROW = {"unit": "GRU", "does": "forward", "B": 2, "T": 5, "H": 3, "threads": 1, "fused": True}
    RATIO = {"ratio": 1.0, "ratio_low": 0.9, "ratio_high": 1.1}
    return {
        speed.speed: {
            "rows": [ROW | RATIO, ROW | RATIO | {"T": 10}],
            "units": ["GRU"],
            "base": {"B": 2, "T": 5, "H": 3},
        },
    }
