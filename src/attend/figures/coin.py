"""What is believed about a coin, and how a learned prediction compares with the exact one."""

from collections.abc import Sequence

import numpy as np

from attend.figures.style import PALETTE, canvas, name_line


def beliefs(summaries: Sequence[tuple[int, int]]) -> None:
    """The posterior over the bias for each summary (heads, flips), every bias equally likely beforehand.

    Raises ValueError unless 0 <= heads <= flips in each summary.
    """
    p = np.linspace(0.001, 0.999, 999)
    with canvas(height=2.4) as (_, axes):
        for (heads, flips), kind in zip(summaries, ("input", "summary", "gate", "attention"), strict=False):
            if not 0 <= heads <= flips:
                raise ValueError(f"summaries: got ({heads}, {flips}), expected 0 <= heads <= flips")
            log = heads * np.log(p) + (flips - heads) * np.log1p(-p)
            density = np.exp(log - log.max())
            density /= density.sum() * (p[1] - p[0])
            axes.plot(p, density, color=PALETTE[kind])
            side = np.searchsorted(-density[density.argmax() :], -0.55 * density.max()) + density.argmax()
            name_line(axes, p[side], density[side], f"{heads} heads of {flips}", kind)
        axes.set(xlabel="bias of the coin, p", ylabel="belief (density)", xlim=(0, 1), ylim=(0, None))


def predictions(heads: Sequence[float], exact: Sequence[float], learned: Sequence[float]) -> None:
    """The learned probability of heads beside the exact one, by number of heads; on the right their difference."""
    heads, exact, learned = (np.asarray(values, dtype=float) for values in (heads, exact, learned))
    if not len(heads) == len(exact) == len(learned) > 0:
        raise ValueError(
            f"exact, learned: got {len(exact)} and {len(learned)} values, expected {len(heads)} (at least 1)"
        )
    beside = heads + np.linspace(-0.25, 0.25, len(heads))
    order = np.argsort(heads)
    with canvas(1, 2, height=2.7) as (_, (left, right)):
        left.plot(beside, learned, ".", color=PALETTE["summary"], ms=2, alpha=0.5, rasterized=True)
        left.plot(heads[order], exact[order], color=PALETTE["ink"], lw=1)
        left.annotate("exact", (3, 0.19), xytext=(5.2, 0.08), color=PALETTE["ink"])
        left.annotate("network", (8, 0.4), xytext=(3.0, 0.52), color=PALETTE["summary"])
        left.set(xlabel="heads among 20 flips", ylabel="probability of heads next", ylim=(0, 1))
        right.plot(beside, learned - exact, ".", color=PALETTE["summary"], ms=2, alpha=0.5, rasterized=True)
        right.axhline(0, color=PALETTE["ink"], lw=1)
        right.set(xlabel="heads among 20 flips", ylabel="network minus exact")
