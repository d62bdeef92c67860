"""Weights in few levels: a page stays light where a figure computes as well with less."""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect


@checked
def rounded(weights: Float[Tensor, "N *M"], levels: int) -> Float[Tensor, "N *M"]:
    """Each row in steps of 1 / `levels` of its largest number, so that 2 · levels + 1 values are left in it.

    Raises ValueError for levels that are not positive.
    """
    expect(levels > 0, "levels", levels, "a positive whole number")
    rows = weights.flatten(1)
    step = rows.abs().amax(dim=1, keepdim=True).clamp(min=torch.finfo(rows.dtype).tiny) / levels
    return ((rows / step).round() * step).view_as(weights)
