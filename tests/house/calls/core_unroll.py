"""Valid calls of attend.core.unroll."""

import torch

from attend.core.unroll import unroll


def step(x, state):
    return x + state, x + state


CALLS = {
    unroll: {
        "step": step,
        "x": torch.ones(2, 3, 4),
        "state": torch.zeros(2, 4),
        "mask": torch.tensor([[True, True, False], [True, True, True]]),
    }
}
# Numbers are not looked at here: the step refuses what it cannot use. The state belongs to the step as well.
GOOD = {unroll: {"x": {"nonfinite"}, "state": {"type", "dtype", "rank", "nonfinite", "empty", "none"}}}
