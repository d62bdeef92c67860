"""One look for every picture."""

import matplotlib.pyplot as plt
import pytest

from attend.figures.style import PALETTE, WIDTH, canvas, name_line


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
