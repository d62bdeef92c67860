"""Where heads stand on a tape: a table of slots by steps for each head, dark where its weight is."""

from collections.abc import Mapping, Sequence

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas

FEW = 30
"""Steps that have room for a name each."""


@checked
def tape(heads: Mapping[str, tuple[Float[Tensor, "T N"], str]], steps: Sequence[str]) -> None:
    """Draw the weights of `heads`, {name: (weights, kind of colour)}, slot 0 on top; `steps` name the columns.

    Raises ValueError for no head, for as many names as there are no steps, and for weights outside 0 to 1.
    """
    expect(len(heads) > 0, "heads", heads, "at least one head")
    for name, (weights, _) in heads.items():
        inside = len(weights) == len(steps) and bool(((weights >= 0) & (weights <= 1 + 1e-4)).all())
        expect(inside, f"heads[{name!r}]", weights, f"shares from 0 to 1, a row for each of {len(steps)} steps")
    T, N = len(steps), max(weights.shape[1] for weights, _ in heads.values())
    tall = len(heads) * (0.35 + min(2.2, 5.0 * N / T)) + 0.4
    with canvas(len(heads), height=tall, sharex=True, squeeze=False) as (_, axes):
        for axis, (name, (weights, kind)) in zip(axes[:, 0], heads.items(), strict=True):
            lay(axis, ink(weights.T, kind), (-0.5, T - 0.5, weights.shape[1] - 0.5, -0.5))
            axis.set_aspect("auto")
            axis.set_title(name, fontsize=10.5, loc="left", color=PALETTE[kind])
            axis.set_ylabel("slot")
            axis.set_yticks(range(0, weights.shape[1], 5 if N <= 30 else 20))
            axis.tick_params(length=2)
        last = axes[-1, 0]
        if T <= FEW:
            last.set_xticks(range(T), steps, fontsize=9)
            last.set_xlabel("input, step by step (· is empty)")
        else:
            last.set_xticks(range(0, T, 50 if T > 120 else 20))
            last.set_xlabel("step")
