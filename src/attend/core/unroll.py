"""Unrolling: run one step again and again along a series, so that a summary meets every input in turn.

Source   Elman 1990, Finding structure in time; the picture of lecture sankaran2019part5.
Departs  steps that are not visible leave the summary as it was, so that padding never changes a result.
Agrees   torch.nn.RNN on packed sequences, in values and gradients (tests/core/test_unroll.py).
"""

from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.utils._pytree import tree_map

from attend.core.expect import checked, expect

State = Any
Step = Callable[[Tensor, State], tuple[Tensor, State]]


@checked
def unroll(
    step: Callable, x: Float[Tensor, "B T D"], state: State, mask: Bool[Tensor, "B T"] | None = None
) -> tuple[Float[Tensor, "B T _"], State]:
    """Run `step(x_t, state) -> (y_t, state)` along time.

    `x` holds T inputs for each of B series; `state` is a tensor, or a tuple of tensors, with B rows. Where
    `mask` is False the state stays as it was and y repeats the value of the step that is kept out. Returns y (B,
    T, ·) and the last state. Raises ValueError for an empty series and for a row that is visible nowhere.
    """
    if mask is None:
        return _run(step, x, state)
    expect(bool(mask.any(dim=1).all()), "mask", mask, "at least one visible step in every row")
    outputs = []
    for x_t, seen in zip(x.unbind(1), mask.unbind(1), strict=True):
        y, after = step(x_t, state)
        state = _keep_unseen(seen, after, state)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state


def _run(step: Step, x: Tensor, state: State) -> tuple[Tensor, State]:
    outputs = []
    for x_t in x.unbind(1):
        y, state = step(x_t, state)
        outputs.append(y)
    return torch.stack(outputs, dim=1), state


def _keep_unseen(seen: Tensor, after: State, before: State) -> State:
    def keep(new: Tensor, old: Tensor) -> Tensor:
        return torch.where(seen.view(-1, *[1] * (new.ndim - 1)), new, old)

    return tree_map(keep, after, before)
