"""Ink on transparent paper: how dense, in which colour, and where it lies."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE


@pytest.fixture
def axes():
    figure, axes = plt.subplots()
    yield axes
    plt.close(figure)


def test_more_ink_is_fuller_and_what_is_below_nothing_is_an_error():
    pixels = ink(torch.tensor([[0.0, 0.25, 1.0], [2.0, -0.5, -3.0]], requires_grad=True), "summary")
    assert pixels[..., 3].tolist() == [[0, 0.25, 1], [1, 0.5, 1]]
    colours = [[tuple(pixel[:3]) for pixel in row] for row in pixels]
    own, error = to_rgb(PALETTE["summary"]), to_rgb(PALETTE["error"])
    assert colours == [[own, own, own], [own, error, error]]


def test_pixels_lie_where_they_are_laid_in_a_frame_and_without_ticks(axes):
    lay(axes, ink(torch.ones(2, 3), "ink"), (0, 3, 2, 0))
    assert axes.images[0].get_extent() == [0, 3, 2, 0]
    assert axes.get_aspect() == 1
    assert not len(axes.get_xticks()) + len(axes.get_yticks())
    assert all(spine.get_visible() for spine in axes.spines.values())


def test_a_pixel_is_one_wide_and_its_middle_a_whole_number(axes):
    lay(axes, ink(torch.ones(2, 3), "ink"))
    assert list(axes.images[0].get_extent()) == [-0.5, 2.5, 1.5, -0.5]


def test_bad_input_is_refused(axes):
    with pytest.raises(ValueError, match=r"^kind: got 'pink'"):
        ink(torch.ones(2, 3), "pink")
    with pytest.raises(ValueError, match=r"^image: got"):
        ink(torch.tensor([[float("nan")]]), "ink")
    with pytest.raises(ValueError, match=r"^pixels: got \(2, 3\)"):
        lay(axes, np.ones((2, 3)))


def calls():
    from attend.figures import ink

    return {
        ink.ink: {"image": torch.tensor([[0.5, -1.0, 0.0]]), "kind": "summary"},
        ink.lay: lambda: {"axes": Figure().subplots(), "pixels": np.ones((2, 3, 4)), "extent": (0.0, 3.0, 2.0, 0.0)},
    }
