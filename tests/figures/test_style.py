"""One look for every picture."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.figure import Figure

from attend.figures import style
from attend.figures.style import LINE, PALETTE, WIDTH, apart, canvas, name_ends, name_line


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


@pytest.mark.parametrize("name", sorted(PALETTE.keys() - {"line"}))
def test_every_colour_stands_out_from_the_page(name):
    assert 1.05 / (luminance(PALETTE[name]) + 0.05) >= 4.5


def test_a_canvas_is_shown_once_in_the_books_look_and_closed(monkeypatch):
    shown = []
    monkeypatch.setattr(plt, "show", lambda: shown.append(plt.get_fignums()))
    with canvas(1, 2, height=2.0) as (figure, axes):
        assert figure.get_size_inches().tolist() == [WIDTH, 2.0]
        assert figure.get_facecolor()[3] == 0
        assert len(axes) == 2
    assert len(shown) == 1
    assert plt.get_fignums() == []
    assert plt.rcParams["figure.dpi"] != 144


def test_a_picture_that_fails_is_closed_too():
    with pytest.raises(RuntimeError), canvas():
        raise RuntimeError
    assert plt.get_fignums() == []


def test_a_name_has_the_colour_of_its_line():
    with canvas() as (_, axes):
        name_line(axes, 1.0, 2.0, "loss", "error")
        assert axes.texts[0].get_text() == "loss"
        assert axes.texts[0].get_color() == PALETTE["error"]


def test_a_name_is_there_outside_of_the_axes_too(drawn):
    with canvas() as (figure, axes):
        axes.set(xlim=(0, 1), ylim=(0, 1))
        name_line(axes, 1.0, 1.1, "above", "ink", up=3.0)
    (text,) = axes.texts
    assert text.get_window_extent().y0 > axes.bbox.y1
    assert figure.bbox.y1 >= text.get_window_extent().y1


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_names_of_lines_that_end_together_are_moved_apart_and_others_are_not(drawn, clear, scale):
    with canvas() as (_, axes):
        axes.set(yscale=scale, ylim=(0.01, 1))
        ends = {"two": 0.96, "three": 0.98, "one": 0.95, "alone": 0.3, "": 0.5}
        name_ends(axes, {name: (1.0, y, "gate") for name, y in ends.items()})
    assert [text.get_text() for text in axes.texts] == ["alone", "one", "two", "three"]
    assert clear(axes.texts)
    assert axes.texts[0].xyann == pytest.approx((5, 0))


def test_names_stay_at_their_ends_where_there_is_room():
    assert apart({"a": 10, "b": 50, "c": 90}) == {"a": 10, "b": 50, "c": 90}
    assert apart({"b": 50, "a": 50}) == {"b": 50 - LINE / 2, "a": 50 + LINE / 2}


def test_names_keep_their_order_and_the_middle_of_their_ends():
    generator = np.random.default_rng(0)
    for _ in range(100):
        ends = {str(i): float(end) for i, end in enumerate(150 * generator.random(6))}
        placed = apart(ends)
        assert sorted(placed, key=placed.get) == sorted(ends, key=ends.get)
        assert np.diff(sorted(placed.values())).min() > LINE - 1e-9
        assert sum(placed.values()) == pytest.approx(sum(ends.values()))


@pytest.mark.parametrize(
    ("ends", "says"),
    [
        ({"a": (1.0, float("nan"), "ink")}, r"ends\['a'\]: got .* two finite numbers"),
        ({"a": (1.0, 1.0, "pink")}, r"ends\['a'\]: got 'pink'"),
    ],
)
def test_ends_that_cannot_be_named_are_refused(ends, says):
    with pytest.raises(ValueError, match=says), canvas() as (_, axes):
        name_ends(axes, ends)


def calls():
    return {
        style.canvas: {"rows": 1, "columns": 2, "height": 2.0},
        style.name_line: lambda: {"axes": Figure().subplots(), "x": 1.0, "y": 2.0, "text": "a line", "kind": "summary"},
        style.name_ends: lambda: {"axes": Figure().subplots(), "ends": {"ours": (1.0, 2.0, "summary")}},
        style.apart: {"ends": {"ours": 0.5, "theirs": 0.5}, "gap": 0.1},
    }


def good():
    return {
        style.name_line: {"text": {"word"}},
    }
