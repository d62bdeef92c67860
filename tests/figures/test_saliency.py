import pytest
import torch
from matplotlib.colors import to_rgb

from attend.figures import saliency
from attend.figures import saliency as pictures
from attend.figures.style import PALETTE

CORNERS = torch.tensor([[1, 2], [0, 5]])
FINE, COARSE = torch.rand(2, 9, 9) + 0.1, torch.rand(2, 3, 3) + 0.1
KINDS = {"canvas": "input", "weights": "attention"}


def test_every_map_lies_on_its_canvas_and_has_the_box(drawn):
    saliency.looked({"canvas": FINE, "weights": -COARSE}, KINDS, CORNERS, side=4, width=9)
    axes = drawn[0].axes
    assert [axis.get_ylabel() for axis in axes] == ["canvas", "", "weights", ""]
    assert [axis.images[0].get_extent() for axis in axes] == [[0, 9, 9, 0]] * 2 + [[1.5, 7.5, 7.5, 1.5]] * 2
    assert {(axis.get_xlim(), axis.get_ylim()) for axis in axes} == {((0, 9), (9, 0))}
    boxes = [(*axis.patches[0].get_xy(), axis.patches[0].get_width()) for axis in axes]
    assert boxes == [(2, 1, 4), (5, 0, 4)] * 2
    pixels = axes[2].images[0].get_array()
    assert tuple(pixels[0, 0, :3]) == to_rgb(PALETTE["attention"])
    assert pixels[..., 3].max() == 1
    assert pixels[1, 2, 3] == pytest.approx(float(COARSE[0, 1, 2] / COARSE[0].max()), abs=1e-6)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: saliency.looked({}, {}, CORNERS, 4, 9), "rows: got"),
        (lambda: saliency.looked({"canvas": FINE}, {}, CORNERS, 4, 9), "kinds: got"),
        (lambda: saliency.looked({"canvas": FINE}, {"canvas": "pink"}, CORNERS, 4, 9), "kinds: got"),
        (lambda: saliency.looked({"canvas": 0 * FINE}, KINDS, CORNERS, 4, 9), "rows"),
        (lambda: saliency.looked({"canvas": FINE}, KINDS, CORNERS, 10, 9), "side: got 10"),
        (lambda: saliency.looked({"canvas": FINE}, KINDS, CORNERS, 5, 9), "corners: got"),
        (lambda: saliency.looked({"canvas": FINE}, KINDS, CORNERS, 4, 9, jump=0), "jump: got 0"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    maps = torch.linspace(0.1, 1, 50).view(2, 5, 5)
    corners = torch.tensor([[0, 1], [2, 0]])
    return {
        pictures.looked: {
            "rows": {"weights": maps},
            "kinds": {"weights": "attention"},
            "corners": corners,
            "side": 3,
            "width": 9,
            "jump": 2,
        },
    }
