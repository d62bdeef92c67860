"""Position encodings: where a token stands, as a vector that is added to its embedding.

Source   Vaswani et al. 2017, arXiv:1706.03762, section 3.5; lecture erdem2021attention.
Departs  nothing.
Agrees   the two formulas of the paper, number by number (tests/transformers/test_positions.py).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import embedding_
from attend.core.types import NonNegative, Positive


@checked
def frequencies(d_model: Positive, device: torch.device | str | None = None) -> Float[Tensor, "{d_model}/2"]:
    """The angle, in radians, by which each of d_model / 2 waves turns from one position to the next: 1 to 1/10,000."""
    expect(d_model % 2 == 0, "d_model", d_model, "a positive even number")
    even = torch.arange(0, d_model, 2, device=device)
    return torch.exp(-math.log(10_000) * even / d_model)


@checked
def sinusoids(
    T: Positive, d_model: Positive, start: NonNegative = 0, device: torch.device | str | None = None
) -> Float[Tensor, "{T} {d_model}"]:
    """Positions `start` to start + T - 1: entries 2i and 2i + 1 are sine and cosine of position × frequency i."""
    positions = torch.arange(start, start + T, device=device)
    angles = positions[:, None] * frequencies(d_model, device)
    waves = torch.stack([angles.sin(), angles.cos()], dim=2)
    return waves.flatten(1)  # (T, d_model)


@checked
def shift_matrix(offset: int, d_model: Positive) -> Float[Tensor, "{d_model} {d_model}"]:
    """The one matrix M with sinusoids(position + offset) = M sinusoids(position), whatever the position: a rotation."""
    angles = offset * frequencies(d_model)
    sin, cos = angles.sin(), angles.cos()
    rows = torch.stack([cos, sin], dim=1), torch.stack([-sin, cos], dim=1)
    return torch.block_diag(*torch.stack(rows, dim=1))


class LearnedPositions(nn.Module):
    """An embedding table with one learned vector for each of `max_length` positions, drawn from N(0, 1)."""

    @checked
    def __init__(self, max_length: Positive, d_model: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.max_length = max_length
        self.embedding = nn.Embedding(max_length, d_model)
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the table anew."""
        embedding_(self.embedding, generator=generator)

    @checked
    def forward(self, T: Positive, start: NonNegative = 0) -> Float[Tensor, "T D"]:
        """The vectors of positions `start` to start + T - 1. Raises ValueError where there is none."""
        expect(start + T <= self.max_length, "T", T, f"positions up to {self.max_length}, the last that was learned")
        return self.embedding.weight[start : start + T]
