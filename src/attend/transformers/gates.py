"""From a gated update to attention: what a gate remembers is a weighted mean, and the weights can be set free.

Source   lecture erdem2021attention (four steps); Cho et al. 2014, arXiv:1406.1078, eq. 7 (the gated update).
Departs  the lecture's product of gates has wrong indices (`as_printed`); `shares` has the right ones.
Agrees   the update taken step after step, and attend.soft.read, in values and gradients
         (tests/transformers/test_gates.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.soft.read import Reading, read


@checked
def recursive(
    keep: Float[Tensor, "B T H"],
    candidates: Float[Tensor, "B T H"],
) -> Float[Tensor, "B T H"]:
    """Every summary of a gated update, one after the other: h_t = z_t ⊙ h_{t-1} + (1 - z_t) ⊙ h̃_t, with h_0 = 0."""
    h, summaries = torch.zeros_like(candidates[:, 0]), []
    steps = zip(keep.unbind(1), candidates.unbind(1), strict=True)
    for z, candidate in steps:
        h = z * h + (1 - z) * candidate
        summaries.append(h)
    return torch.stack(summaries, dim=1)


@checked
def shares(keep: Float[Tensor, "B T H"]) -> Float[Tensor, "B T T H"]:
    """How much of candidate i is in summary t: (1 - z_i) times the product of z_j from i + 1 to t; 0 for i after t."""
    _between_0_and_1(keep)
    T = keep.shape[1]
    rows, row = [], keep.new_zeros(keep.shape[0], T, keep.shape[2])
    for t, z in enumerate(keep.unbind(1)):
        kept, taken = row * z[:, None], (1 - z)[:, None]
        row = torch.cat([kept[:, :t], taken, kept[:, t + 1 :]], dim=1)
        rows.append(row)
    return torch.stack(rows, dim=1)


@checked
def as_printed(keep: Float[Tensor, "B T H"]) -> Float[Tensor, "B T T H"]:
    """The shares as the lecture prints them: the product of z_j from i to t - i + 1, times that of 1 - z_k below i."""
    _between_0_and_1(keep)
    B, T, H = keep.shape
    found = keep.new_zeros(B, T, T, H)
    for t in range(1, T + 1):
        for i in range(1, t + 1):
            found[:, t - 1, i - 1] = keep[:, i - 1 : t - i + 1].prod(1) * (1 - keep[:, : i - 1]).prod(1)
    return found


@checked
def unrolled(
    keep: Float[Tensor, "B T H"],
    candidates: Float[Tensor, "B T H"],
) -> Float[Tensor, "B T H"]:
    """The same summaries as `recursive`, all at once: each is a weighted sum of the candidates up to it."""
    return torch.einsum("btsh,bsh->bth", shares(keep), candidates)


@checked
def freed(
    scores: Float[Tensor, "B T T"],
    candidates: Float[Tensor, "B T H"],
) -> Reading:
    """The weights set free: in place of products of gates, a softmax of scores over the steps up to each one."""
    B, T, _ = scores.shape
    up_to_now = torch.ones(T, T, dtype=torch.bool).tril().expand(B, T, T)
    return read(scores, candidates, up_to_now)


def _between_0_and_1(keep: Tensor) -> None:
    expect(bool(((keep >= 0) & (keep <= 1)).all()), "keep", keep, "gates from 0 to 1")
