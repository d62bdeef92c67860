"""Who listened where: a recording as a spectrogram, and below it attention weights, a row for each token."""

from collections.abc import Mapping

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, canvas

FEW = 15
"""Tokens that have room to stand beside their rows."""


@checked
def listening(
    frames: Float[Tensor, "T F"], written: Mapping[str, tuple[str, Float[Tensor, "L S"]]], seconds: float
) -> None:
    """Draw `frames`, -1 silent and 1 loud, low bands below; under it, by name, tokens and their weights.

    Rows of weights are scaled to their largest, since a broad row is pale otherwise; many tokens are not named. The
    recording lasts `seconds`. Raises ValueError for as many tokens as a table of weights has no rows, and for weights
    outside 0 to 1.
    """
    expect(0 < seconds < float("inf"), "seconds", seconds, "a positive number")
    for name, (tokens, weights) in written.items():
        inside = len(tokens) == len(weights) > 0 and bool(((weights >= 0) & (weights <= 1 + 1e-4)).all())
        expect(inside, f"written[{name!r}]", weights, f"shares from 0 to 1, a row for each of {tokens!r}")
    rows = [max(5.0, 1.3 * len(tokens)) if len(tokens) <= FEW else 11.0 for tokens, _ in written.values()]
    height = 1.6 + sum(0.13 * row + 0.35 for row in rows)
    with canvas(1 + len(written), height=height, height_ratios=[7, *rows], sharex=True, squeeze=False) as (_, axes):
        top, *below = axes[:, 0]
        extent = (0.0, float(seconds), 0.0, 1.0)
        lay(top, ink(((frames + 1) / 2).clamp(0, 1).T.flip(0), "input"), extent)
        top.set_ylabel("frequency")
        for axis, (name, (tokens, weights)) in zip(below, written.items(), strict=True):
            peaks = weights / weights.amax(dim=1, keepdim=True)
            L = len(tokens)
            lay(axis, ink(peaks, "attention"), (0.0, float(seconds), float(L), 0.0))
            if L <= FEW:
                axis.set_yticks([row + 0.5 for row in range(L)], tokens)
                axis.tick_params(length=0, labelcolor=PALETTE["ink"])
            else:
                axis.set_ylabel(f"{L} steps")
            axis.set_title(name, fontsize=10.5, loc="left", color=PALETTE["attention"])
        for axis in axes[:, 0]:
            axis.set_aspect("auto")
        last = axes[-1, 0]
        last.set_xticks(torch.arange(0, seconds, 0.5 if seconds < 5 else 2).tolist())
        last.tick_params(axis="x", length=3, labelcolor=PALETTE["quiet"])
        last.set_xlabel("seconds")
