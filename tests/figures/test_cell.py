"""The picture of cells through time draws what it is given, and refuses what it cannot draw."""

import pytest
import torch

from attend.figures.cell import cells

PAIR = (torch.tensor([0.0, 1.0, 1.0]), torch.tensor([0.0, 0.0, 0.5]))


def test_each_panel_has_its_line_its_bars_and_its_name(drawn):
    cells({"kept": PAIR, "lost": (PAIR[1], PAIR[1]), "third": PAIR})
    shown = [axes for axes in drawn[0].axes if axes.get_visible()]
    assert [axes.texts[0].get_text() for axes in shown] == ["kept", "lost", "third"]
    assert shown[0].lines[-1].get_ydata() == pytest.approx([0, 1, 1])
    assert [bar.get_height() for bar in shown[0].patches] == pytest.approx([0, 0, 0.5])


@pytest.mark.parametrize(
    "panels",
    [
        {"one": PAIR},
        {"one": PAIR, "two": (PAIR[0], PAIR[1][:2])},
        {"one": PAIR, "two": (PAIR[0] / 0, PAIR[1])},
        {"one": PAIR, "two": PAIR[0]},
    ],
)
def test_bad_panels_are_refused(panels):
    with pytest.raises(ValueError, match=r"panels.*: got"):
        cells(panels)


def calls():
    return {
        cells: {"panels": {"kept": (torch.ones(4), torch.zeros(4)), "lost": (torch.zeros(4), torch.ones(4))}},
    }
