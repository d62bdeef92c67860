import pytest
import torch
from matplotlib.colors import to_rgb

from attend.figures import captions
from attend.figures.style import PALETTE

IMAGES = torch.rand(2, 6, 6)
WEIGHTS = torch.rand(2, 3, 9).softmax(dim=2)
RIGHT = [["a", "seven", "above", "."], ["a", "coat", "beside", "."]]
WRONG = [["a", "seven", "above", "."], ["a", "bag", "beside", "."]]
ROWS = {"soft": (RIGHT, WEIGHTS), "hard": (WRONG, WEIGHTS.flip(2))}


def test_each_word_has_the_scene_under_the_weights_before_it(drawn):
    captions.looks(IMAGES, ROWS, RIGHT)
    axes = drawn[0].axes
    assert len(axes) == 4 * 4
    assert [axis.get_ylabel() for axis in axes[::4]] == ["soft", "hard", "soft", "hard"]
    assert [axis.get_title() for axis in axes[12:]] == ["", "a", "bag", "beside"]
    weights, scene = axes[14].images
    assert weights.get_extent() == scene.get_extent() == [0, 6, 6, 0]
    assert tuple(weights.get_array()[0, 0, :3]) == to_rgb(PALETTE["attention"])
    assert weights.get_array()[..., 3].ravel().tolist() == pytest.approx(WEIGHTS[1, 1].flip(0).tolist(), abs=1e-6)
    assert scene.get_array()[2, 3, 3] == pytest.approx(0.75 * round(5 * float(IMAGES[1, 2, 3])) / 5, abs=1e-6)


def test_a_wrong_word_has_the_colour_of_errors(drawn):
    captions.looks(IMAGES, ROWS, RIGHT)
    coloured = [axis.title.get_color() == PALETTE["error"] for axis in drawn[0].axes]
    assert [place for place, error in enumerate(coloured) if error] == [14]


def test_the_right_word_stands_below_a_wrong_one(drawn):
    captions.looks(IMAGES, ROWS, RIGHT)
    below = {place: axis.get_xlabel() for place, axis in enumerate(drawn[0].axes) if axis.get_xlabel()}
    assert below == {14: "right: coat"}


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda: captions.looks(IMAGES, {}, RIGHT), "rows: got"),
        (lambda: captions.looks(IMAGES, ROWS, RIGHT[:1]), "right: got 1"),
        (lambda: captions.looks(IMAGES, {"soft": (RIGHT[:1], WEIGHTS)}, RIGHT), "soft"),
        (lambda: captions.looks(IMAGES, {"soft": ([["a"], ["a"]], WEIGHTS)}, RIGHT), "soft"),
        (lambda: captions.looks(IMAGES, {"soft": (RIGHT, WEIGHTS[:, :, :8])}, RIGHT), "soft"),
        (lambda: captions.looks(IMAGES[0], ROWS, RIGHT), "images: got"),
    ],
)
def test_bad_input_is_refused(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()


def calls():
    RIGHT = [["a", "coat"], ["a", "bag"]]
    return {
        captions.looks: {
            "images": torch.full((2, 4, 4), 0.5),
            "rows": {"soft": (RIGHT, torch.full((2, 2, 4), 0.25))},
            "right": RIGHT,
        },
    }
