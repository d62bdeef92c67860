import pytest
import torch
from matplotlib.colors import to_rgb

from attend.figures import images
from attend.figures.style import PALETTE


def pixels(axes):
    return axes.images[0].get_array()


def squares(axes):
    return [(*patch.get_xy(), patch.get_width(), patch.get_height()) for patch in axes.patches]


def test_a_strip_holds_its_images_as_dense_as_their_values(drawn):
    row = torch.tensor([[[0.0, 2.0], [1.0, -2.0]], [[2.0, 0.0], [0.0, 0.0]]])
    images.strips({"first": row, "second": row[:1]}, {"first": "summary"})
    axes = drawn[0].axes
    assert [axis.get_ylabel() for axis in (axes[0], axes[2])] == ["first", "second"]
    assert pixels(axes[0])[..., 3].tolist() == [[0, 1], [0.5, 1]]
    assert tuple(pixels(axes[0])[0, 1, :3]) == to_rgb(PALETTE["summary"])
    assert tuple(pixels(axes[0])[1, 1, :3]) == to_rgb(PALETTE["error"])
    assert tuple(pixels(axes[2])[0, 1, :3]) == to_rgb(PALETTE["input"])
    assert not axes[3].images


def test_the_square_lies_around_the_pixels_of_the_field(drawn):
    strength = torch.zeros(9, 9)
    strength[2:5, 3:7] = 1
    images.fields({"conv1": strength}, [(range(2, 5), range(3, 7))])
    assert squares(drawn[0].axes[0]) == [(2.5, 1.5, 4, 3)]
    assert drawn[0].axes[0].get_xlabel() == "conv1\n3 × 4"


def test_the_heaviest_region_is_marked(drawn):
    weights = torch.zeros(2, 3, 4)
    weights[0, 2, 1] = weights[1, 0, 3] = 0.5
    images.regions(torch.rand(2, 12, 14), weights, width=8, jump=2)
    assert squares(drawn[0].axes[0]) == [(1.5, 3.5, 8, 8)]
    assert squares(drawn[0].axes[1]) == [(5.5, -0.5, 8, 8)]
    assert pixels(drawn[0].axes[2])[2, 1, 3] == 1


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: images.strips({}), "rows: got"),
        (lambda: images.strips({"a": torch.zeros(1, 2, 2)}), "rows"),
        (lambda: images.strips({"a": torch.ones(1, 2, 2)}, {"a": "pink"}), "kinds: got"),
        (lambda: images.fields({"a": torch.ones(2, 2)}, []), "boxes: got 0"),
        (lambda: images.regions(torch.ones(1, 9, 9), torch.ones(1, 2, 2), width=8, jump=2), "weights: got"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    row = torch.linspace(0, 1, 18).view(2, 3, 3)
    return {
        images.strips: {"rows": {"digits": row}, "kinds": {"digits": "summary"}},
        images.fields: {"strengths": {"conv1": row[0]}, "boxes": [(range(0, 2), range(1, 3))]},
        images.regions: {"canvases": torch.ones(2, 9, 9), "weights": torch.ones(2, 2, 2), "width": 5, "jump": 4},
    }
