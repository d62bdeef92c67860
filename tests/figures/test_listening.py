"""A recording and who listened where: what is loud and what is heavy is full, and odd tables are refused."""

import pytest
import torch

from attend.figures.listening import listening

FRAMES = torch.tensor([[-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]])
WEIGHTS = torch.tensor([[0.1, 0.4], [0.5, 0.5]])


def test_loud_bands_and_heavy_weights_are_full(drawn):
    listening(FRAMES, {"hybrid": ("37", WEIGHTS)}, 0.06)
    sound, weights = drawn[0].axes
    assert sound.images[0].get_array()[..., 3].tolist() == [[0.5, 0, 1], [0, 1, 0.5]]
    assert weights.images[0].get_array()[..., 3].ravel().tolist() == pytest.approx([0.25, 1, 1, 1])
    assert [tick.get_text() for tick in weights.get_yticklabels()] == ["3", "7"]
    assert weights.get_title(loc="left") == "hybrid"


def test_many_tokens_are_counted(drawn):
    listening(FRAMES, {"hybrid": ("3" * 20, WEIGHTS.repeat(10, 1))}, 0.06)
    assert drawn[0].axes[1].get_ylabel() == "20 steps"
    assert not drawn[0].axes[1].get_yticklabels()


@pytest.mark.parametrize(
    ("written", "seconds", "says"),
    [
        ({"a": ("3", WEIGHTS)}, 1.0, "written"),
        ({"a": ("37", 3 * WEIGHTS)}, 1.0, "written"),
        ({"a": ("37", WEIGHTS)}, 0.0, "seconds: got 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(written, seconds, says):
    with pytest.raises(ValueError, match=says):
        listening(FRAMES, written, seconds)


def calls():
    return {listening: {"frames": FRAMES, "written": {"hybrid": ("37", WEIGHTS)}, "seconds": 0.06}}
