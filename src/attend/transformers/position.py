"""Where a word stands, as a vector that is added to what it says.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.5; lecture erdem2021attention.
Departs  nothing.
Agrees   the two formulas of the paper, number by number (tests/transformers/test_position.py).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect

SLOWEST = 10_000.0
"""The slowest wave takes 2π times so many places for one turn."""


@checked
def rates(D: int) -> Float[Tensor, "{D}/2"]:
    """By which angle each of the D / 2 waves turns from one place to the next: from 1 down to about 1 / SLOWEST."""
    expect(D > 0 and D % 2 == 0, "D", D, "a positive even number")
    return torch.exp(-math.log(SLOWEST) * torch.arange(0, D, 2) / D)


@checked
def sinusoids(T: int, D: int, start: int = 0) -> Float[Tensor, "{T} {D}"]:
    """Places `start` to start + T - 1 as waves: numbers 2i and 2i + 1 are sin and cos of the place times rate i."""
    expect(T > 0, "T", T, "a positive whole number")
    expect(start >= 0, "start", start, "0 or a positive whole number")
    angles = torch.arange(start, start + T)[:, None] * rates(D)
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)


@checked
def shift(by: int, D: int) -> Float[Tensor, "{D} {D}"]:
    """The one matrix M with sinusoids(place + by) = M sinusoids(place), whatever the place: each wave is turned."""
    angles = by * rates(D)
    sin, cos = angles.sin(), angles.cos()
    rows = torch.stack([cos, sin], dim=1), torch.stack([-sin, cos], dim=1)
    return torch.block_diag(*torch.stack(rows, dim=1))


class Learned(nn.Module):
    """A vector of its own for each of `places` places (places, D), learned as the words' are."""

    @checked
    def __init__(self, places: int, D: int, generator: torch.Generator | None = None):
        expect(places > 0, "places", places, "a positive whole number")
        expect(D > 0, "D", D, "a positive whole number")
        super().__init__()
        self.rows = nn.Parameter(torch.randn(places, D, generator=generator))

    @checked
    def forward(self, T: int, start: int = 0) -> Float[Tensor, "T D"]:
        """The vectors of places `start` to start + T - 1. Raises ValueError for a place that has none."""
        places = len(self.rows)
        expect(0 < T <= places, "T", T, f"at most the {places} places that were learned")
        expect(0 <= start <= places - T, "start", start, f"a place from 0 to {places - T}, for T = {T} of {places}")
        return self.rows[start : start + T]
