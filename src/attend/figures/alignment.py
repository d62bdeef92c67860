"""Who looked where: attention weights between two rows of words, with the gold links outlined."""

from collections.abc import Mapping, Sequence

from jaxtyping import Bool, Float
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from torch import Tensor

from attend.core.expect import checked, expect
from attend.figures.ink import ink, lay
from attend.figures.style import PALETTE, WIDTH, canvas

_CELL = 0.34
"""The widest a cell gets, in inches; long sentences have smaller ones, so that a row of panels fits the column."""
_LETTER, _SIZE = 0.0085, 12.0
"""Inches that a letter of a word takes on an axis for each point of its size, and the largest size."""


@checked
def alignment(
    weights: Float[Tensor, "T S"], target: list[str], source: list[str], links: Bool[Tensor, "T S"] | None = None
) -> None:
    """The weights of one sentence: a row for each word of `target` that asks, a column for each word of `source`.

    The more weight, the more colour. `links` are known right answers, drawn as outlines. Raises ValueError for weights
    outside 0 to 1, and for as many words as the weights do not have.
    """
    _draw({"": weights}, target, source, links)


@checked
def alignments(
    weights: Mapping[str, Float[Tensor, "T S"]],
    target: list[str],
    source: list[str],
    links: Bool[Tensor, "T S"] | None = None,
) -> None:
    """Several readers of the same sentence side by side, each by its name; otherwise as `alignment`.

    Raises ValueError for no reader, for weights outside 0 to 1, and for as many words as the weights do not have.
    """
    expect(len(weights) > 0, "weights", weights, "at least one reader")
    _draw(weights, target, source, links)


def _draw(weights: Mapping[str, Tensor], target: Sequence[str], source: Sequence[str], links: Tensor | None) -> None:
    T, S = next(iter(weights.values())).shape
    expect(len(target) == T, "target", target, f"{T} words, one for each row of the weights")
    expect(len(source) == S, "source", source, f"{S} words, one for each column of the weights")
    for name, values in weights.items():
        inside = values.shape == (T, S) and bool(((values >= 0) & (values <= 1 + 1e-4)).all())
        named = f"weights[{name!r}]" if name else "weights"
        expect(inside, named, values, f"shares from 0 to 1 of shape ({T}, {S})")
    if links is not None:
        expect(links.shape == (T, S), "links", links, f"truth values of shape ({T}, {S})")
    size = _SIZE
    for _ in range(2):  # smaller letters leave more room for cells
        left = _LETTER * size * max(map(len, target))
        cell = min(_CELL, (WIDTH - left - 0.2) / (S + 0.6) / len(weights))
        size = min(_SIZE, 72 * cell / 1.05)
    longest = _LETTER * size * max(map(len, source))
    upright = longest + 0.03 <= cell
    top = (size / 72 if upright else longest) + 0.1
    height = max(0.8, T * cell + top + (0.3 if any(weights) else 0.05))
    with canvas(1, len(weights), height=height, squeeze=False, sharey=True) as (_, axes):
        for axis, (name, values) in zip(axes[0], weights.items(), strict=True):
            _panel(axis, values, links)
            axis.set_xticks(range(S), source, rotation=0 if upright else 90, fontsize=size)
            axis.set_xlabel(name)
        axes[0, 0].set_yticks(range(T), target, fontsize=size)


def _panel(axes: Axes, weights: Tensor, links: Tensor | None) -> None:
    """One table of weights on transparent paper, its columns named above."""
    lay(axes, ink(weights, "attention"))
    axes.tick_params(length=0, labelcolor=PALETTE["ink"], top=False, bottom=False, labeltop=True, labelbottom=False)
    for t, s in links.nonzero().tolist() if links is not None else ():
        box = Rectangle((s - 0.42, t - 0.42), 0.84, 0.84, fill=False, lw=1.1, color=PALETTE["ink"])
        axes.add_patch(box)
