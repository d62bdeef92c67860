"""Places drawn on canvases: where the dots, the lines and the boxes are, and what is refused."""

import pytest
import torch

from attend.figures import looks as pictures
from attend.figures.looks import looks

IMAGES = torch.rand(3, 20, 20, generator=torch.Generator().manual_seed(0))
PLACES = torch.tensor([[[0.0, 0.0], [-1.0, 1.0]]]).repeat(3, 1, 1)
CORNERS = torch.tensor([[2, 5], [0, 0], [12, 12]])
SAID = [["3", "8"]] * 3


def drawing(**changed):
    looks(**({"images": IMAGES, "places": PLACES, "corners": CORNERS, "side": 8, "said": SAID, "columns": 2} | changed))


def test_places_lie_along_a_line_from_an_open_dot_in_the_middle_to_the_top_right(drawn):
    drawing()
    panel = drawn[0].axes[0]
    path, first = panel.lines
    assert path.get_xdata().tolist() == [10, 20]
    assert path.get_ydata().tolist() == [10, 0]
    assert path.get_marker() == "o"
    assert (float(first.get_xdata()[0]), float(first.get_ydata()[0])) == (10, 10)
    assert first.get_markerfacecolor() == "w" != path.get_markerfacecolor()
    assert panel.get_ylim() == (20, 0)


def test_each_canvas_has_its_box_and_what_was_said(drawn):
    drawing(said=[["3", "8"], ["1", "1"], ["0", "5"]])
    panels = drawn[0].axes
    boxes = [(panel.patches[0].get_x(), panel.patches[0].get_y()) for panel in panels[:3]]
    assert boxes == [(5, 2), (0, 0), (12, 12)]
    assert [panel.get_xlabel() for panel in panels[:3]] == ["3  8", "1  1", "0  5"]
    assert not panels[3].axison


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"corners": CORNERS + 1}, "corners"),
        ({"side": 0}, "corners"),
        ({"said": [["3"]] * 3}, "said"),
        ({"said": SAID[:2]}, "said"),
        ({"columns": 0}, "columns"),
    ],
)
def test_what_does_not_fit_is_refused(changed, name):
    with pytest.raises(ValueError, match=f"^{name}: got"):
        drawing(**changed)


def calls():
    images = torch.linspace(0, 1, 2 * 16 * 16).view(2, 16, 16).sin().abs()
    return {
        pictures.looks: {
            "images": images,
            "places": torch.zeros(2, 3, 2),
            "corners": torch.zeros(2, 2, dtype=torch.long),
            "side": 8,
            "said": [["1", "2", "3"]] * 2,
            "columns": 2,
        },
    }
