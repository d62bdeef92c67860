"""What a decoder reads at several moments: the encoder's states in a plane, each as large as its attention weight."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect, finite
from attend.figures.style import PALETTE, canvas


@checked
def plane(states: Float[Tensor, "S H"]) -> Float[Tensor, "S 2"]:
    """The states in the plane that shows most of their spread (their first two principal components).

    Linear, so that a weighted mean of states is drawn at the weighted mean of their places. Raises ValueError for
    fewer than three states or fewer than two numbers in each.
    """
    expect(len(states) > 2 and states.shape[1] > 1, "states", states, "three states or more, of two numbers or more")
    finite("states", states)
    middle = states - states.mean(dim=0)
    return middle @ torch.linalg.svd(middle, full_matrices=False).Vh[:2].T


@checked
def moments(
    places: Float[Tensor, "S 2"],
    words: Sequence[str],
    weights: Float[Tensor, "T S"],
    tokens: Sequence[str],
    *,
    columns: int = 2,
) -> None:
    """A panel for each of T moments: the curve through `places`, a disc for each of `words`, and the point read.

    A disc's area is its weight; the diamond is the mean of the places with these weights. Raises ValueError for names
    that do not fit, and for weights that are negative or do not add up to one.
    """
    S, T = len(places), len(weights)
    expect(S > 0 and T > 0, "weights", weights, "at least one moment and one word")
    expect(len(words) == S, "words", words, f"{S} words")
    expect(len(tokens) == T, "tokens", tokens, f"{T} tokens")
    finite("places", places)
    whole = bool((weights >= 0).all()) and bool(torch.isclose(weights.sum(dim=1), weights.new_ones(T), atol=1e-3).all())
    expect(whole, "weights", weights, "rows that add up to 1, nothing negative")
    expect(1 <= columns <= T, "columns", columns, f"a whole number from 1 to {T}")
    rows = -(-T // columns)
    contexts = weights @ places
    with canvas(rows, columns, height=2.3 * rows, sharex=True, sharey=True, squeeze=False) as (_, axes):
        for panel in axes.flat[T:]:
            panel.axis("off")
        for panel, row, context, token in zip(axes.flat, weights, contexts, tokens, strict=False):
            x, y = places.T.tolist()
            panel.plot(x, y, color=PALETTE["line"], lw=1.2, zorder=1)
            panel.scatter(
                x, y, s=[12 + 420 * w for w in row.tolist()], color=PALETTE["attention"], alpha=0.55, zorder=2
            )
            panel.scatter(*context.tolist(), marker="D", s=34, color=PALETTE["input"], zorder=3)
            for word, across, up in zip(words, x, y, strict=True):
                panel.annotate(word, (across, up), (0, 13), textcoords="offset points", ha="center")
            panel.set(xticks=[], yticks=[])
            panel.set_title(token, loc="left", color=PALETTE["input"], fontsize=10.5, weight="bold")
            panel.margins(0.2)
            for side in panel.spines.values():
                side.set_visible(False)
