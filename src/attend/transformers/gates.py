"""From a gated update to attention: a gated state is a weighted mean of its candidates, and a softmax can weigh them.

Source   lecture erdem2021attention (four steps); Cho et al. 2014, arXiv:1406.1078, eq. 7 (the gated update).
Departs  the lecture's product of gates (`gate_weights_as_printed`) has wrong indices, `gate_weights` the right ones.
Agrees   the update taken step after step, and attention by a masked softmax, in values
         and gradients (tests/transformers/test_gates.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Rule

Gates = Annotated[Float[Tensor, "B T H"], Rule("gates from 0 to 1", lambda z: bool(((z >= 0) & (z <= 1)).all()))]


@checked
def gated_update(update: Float[Tensor, "B T H"], candidate: Float[Tensor, "B T H"]) -> Float[Tensor, "B T H"]:
    """All hidden states of a gated update, one after the other: h_t = z_t ⊙ h_{t-1} + (1 - z_t) ⊙ h̃_t, with h_0 = 0."""
    h, hidden = torch.zeros_like(candidate[:, 0]), []
    for t in range(update.shape[1]):
        h = update[:, t] * h + (1 - update[:, t]) * candidate[:, t]
        hidden.append(h)
    return torch.stack(hidden, dim=1)  # (B, T, H)


@checked
def gate_weights(update: Gates) -> Float[Tensor, "B T T H"]:
    """The weight of candidate i in hidden state t: (1 - z_i) times the product of z_j from i + 1 to t; 0 for i > t."""
    B, T, H = update.shape
    row, rows = update.new_zeros(B, T, H), []
    for t in range(T):
        z = update[:, t : t + 1]  # (B, 1, H)
        row = torch.cat([z * row[:, :t], 1 - z, row[:, t + 1 :]], dim=1)
        rows.append(row)
    return torch.stack(rows, dim=1)  # (B, T, T, H)


@checked
def gate_weights_as_printed(update: Gates) -> Float[Tensor, "B T T H"]:
    """The weights as the lecture prints them: the product of z_j from i to t - i + 1, times that of 1 - z_k below i."""
    B, T, H = update.shape
    weights = update.new_zeros(B, T, T, H)
    for t in range(1, T + 1):
        for i in range(1, t + 1):
            kept = update[:, i - 1 : t - i + 1].prod(1)
            weights[:, t - 1, i - 1] = kept * (1 - update[:, : i - 1]).prod(1)
    return weights


@checked
def unrolled_update(update: Float[Tensor, "B T H"], candidate: Float[Tensor, "B T H"]) -> Float[Tensor, "B T H"]:
    """The same hidden states as `gated_update`, all at once: each is a weighted sum of the candidates up to it."""
    return torch.einsum("btsh,bsh->bth", gate_weights(update), candidate)


@checked
def softmax_update(
    scores: Float[Tensor, "B T T"], candidate: Float[Tensor, "B T H"]
) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B T T"]]:
    """In place of products of gates, weights by a softmax of scores over the steps up to each one.

    Returns the hidden states and the weights.
    """
    later = torch.ones_like(scores, dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=2)
    return weights @ candidate, weights
