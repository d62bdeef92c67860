"""What is believed about a coin, and how a learned prediction compares with the exact one."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.figures.style import PALETTE, canvas


@checked
def beliefs(tallies: Sequence[tuple[int, int]], unit: str = "heads") -> None:
    """The posterior over the bias for each tally (heads, flips), every bias equally likely beforehand.

    `unit` is what is counted. Raises ValueError unless 0 <= heads <= flips in each tally.
    """
    expect(1 <= len(tallies) <= 4, "tallies", tallies, "one to four pairs (heads, flips)")
    p = np.linspace(0.001, 0.999, 999)
    with canvas(height=2.4) as (_, axes):
        for (heads, flips), kind in zip(tallies, ("input", "summary", "gate", "attention"), strict=False):
            expect(0 <= heads <= flips, "tallies", (heads, flips), "0 <= heads <= flips")
            log = heads * np.log(p) + (flips - heads) * np.log1p(-p)
            density = np.exp(log - log.max())
            density /= density.sum() * (p[1] - p[0])
            axes.plot(p, density, color=PALETTE[kind])
            left = density.argmax() > 700  # no room for a name on the right of the top
            half = np.flatnonzero(density >= 0.55 * density.max())[0 if left else -1]
            axes.annotate(
                f"{heads} {unit} of {flips}",
                (p[half], density[half]),
                xytext=(-6 if left else 6, 6),
                textcoords="offset points",
                ha="right" if left else "left",
                color=PALETTE[kind],
            )
        axes.set(xlabel=f"probability of {unit}, p", ylabel="belief (density)", xlim=(0, 1), ylim=(0, None))


@checked
def predictions(heads: Float[Tensor, "N"], exact: Float[Tensor, "N"], learned: Float[Tensor, "N"]) -> None:
    """The learned probability of heads beside the exact one, by number of heads; on the right their difference."""
    expect(len(heads) > 0, "heads", heads, "at least one stream")
    for name, values in (("heads", heads), ("exact", exact), ("learned", learned)):
        finite(name, values)
    beside = heads + torch.linspace(-0.25, 0.25, len(heads))
    order = heads.argsort()
    with canvas(1, 2, height=2.7) as (_, (left, right)):
        left.plot(beside, learned, ".", color=PALETTE["summary"], ms=2, alpha=0.5, rasterized=True)
        left.plot(heads[order], exact[order], color=PALETTE["ink"], lw=1)
        left.annotate("exact", (3, 0.19), xytext=(5.2, 0.08), color=PALETTE["ink"])
        left.annotate("network", (8, 0.4), xytext=(0.5, 0.7), color=PALETTE["summary"])
        left.set(xlabel="heads among 20 flips", ylabel="probability of heads next", ylim=(0, 1))
        right.plot(beside, learned - exact, ".", color=PALETTE["summary"], ms=2, alpha=0.5, rasterized=True)
        right.axhline(0, color=PALETTE["ink"], lw=1)
        right.set(xlabel="heads among 20 flips", ylabel="network minus exact")
