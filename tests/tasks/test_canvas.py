"""Images on empty paper, and pieces cut from them."""

import pytest
import torch

from attend.tasks import canvas
from attend.tasks.canvas import cut, lay, overlay


def test_an_image_lies_from_its_corner_on():
    laid = lay(torch.ones(2, 2, 2), torch.tensor([[0, 1], [2, 2]]), 4)
    assert laid[0].nonzero().tolist() == [[0, 1], [0, 2], [1, 1], [1, 2]]
    assert laid[1].nonzero().tolist() == [[2, 2], [2, 3], [3, 2], [3, 3]]


def test_an_image_that_would_stick_out_is_refused():
    with pytest.raises(ValueError, match=r"corners: got .*, expected rows and columns from 0 to \(2, 2\)"):
        lay(torch.ones(1, 2, 2), torch.tensor([[3, 0]]), 4)


def test_of_two_pixels_the_darker_is_seen():
    canvases, image = torch.full((1, 3, 3), 0.5), torch.tensor([[[0.25, 0.75], [1.0, 0.0]]])
    laid = overlay(canvases, image, torch.tensor([[1, 0]]))
    assert laid[0].tolist() == [[0.5, 0.5, 0.5], [0.5, 0.75, 0.5], [1.0, 0.5, 0.5]]
    assert canvases.eq(0.5).all()


def test_pieces_are_windows_of_the_pool_with_enough_ink():
    pool = torch.zeros(2, 6, 6)
    pool[0, 2:4, 2:4] = torch.tensor([[0.5, 0.6], [0.7, 0.8]])
    pieces = cut(pool, 40, size=3, ink=0.25, least=4, generator=torch.Generator().manual_seed(0))
    assert pieces.shape == (40, 3, 3)
    assert pieces.flatten(1).sort().values[:, -4:].unique(dim=0).tolist() == [pytest.approx([0.5, 0.6, 0.7, 0.8])]
    assert len(pieces.unique(dim=0)) == 4  # the four windows of 3 x 3 that hold all of the ink


def test_the_same_seed_cuts_the_same_pieces():
    pool = torch.rand(5, 9, 9, generator=torch.Generator().manual_seed(1))
    one, other = (cut(pool, 7, 3, 0.2, 3, torch.Generator().manual_seed(2)) for _ in range(2))
    assert torch.equal(one, other)


def test_a_pool_without_such_windows_is_refused():
    with pytest.raises(ValueError, match=r"pool: got images in which no window has 2 pixels of ink 0.5"):
        cut(torch.zeros(1, 3, 3), 1, 2, 0.5, 2, torch.Generator())
    with pytest.raises(ValueError, match=r"least: got 5 \(int\), expected between 1 and 4"):
        cut(torch.ones(1, 3, 3), 1, 2, 0.5, 5, torch.Generator())


def calls():
    CORNERS = torch.tensor([[0, 2], [3, 1]])
    SEEDED = torch.Generator().manual_seed(0)
    return {
        canvas.lay: {"images": torch.ones(2, 3, 3), "corners": CORNERS, "width": 8},
        canvas.overlay: {"canvases": torch.zeros(2, 8, 9), "images": torch.ones(2, 3, 3), "corners": CORNERS},
        canvas.cut: {
            "pool": torch.ones(2, 4, 4),
            "count": 3,
            "size": 2,
            "ink": 0.25,
            "least": 1,
            "generator": SEEDED,
        },
    }
