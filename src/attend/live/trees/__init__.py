"""A trained Tree-LSTM on lists of digits: change a digit, or MAX into MIN, and every list above answers anew."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

WEIGHTS = {"E", "W", "U", "b", "head", "head_b"}


class TreeValues(LiveFigure):
    """A tree of digits, MAX and MIN; the trained network's value stands beside every inner node.

    `weights` holds embeddings E, the layer's W, U and b, and the linear head with its bias. `lists` are trees, each a
    pair (tokens, parent): 0 to 9 are digits, 10 is MAX, 11 is MIN, and a node stands before its children. The
    thickness of an edge shows how far the forget gate of that child is open, as a mean over the cells. Raises
    ValueError when a tensor is missing, and for a tree that is none.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], lists: Sequence[tuple[Sequence[int], Sequence[int]]]):
        expect(set(weights) == WEIGHTS, "weights", sorted(weights), f"tensors named {', '.join(sorted(WEIGHTS))}")
        expect(len(lists) > 0, "lists", lists, "at least one tree")
        for tokens, parent in lists:
            fits = len(tokens) == len(parent) and all(-1 <= p < i for i, p in enumerate(parent))
            fits = fits and [i for i, p in enumerate(parent) if p < 0] == [0]
            fits = fits and all((token >= 10) == (i in parent) and token <= 11 for i, token in enumerate(tokens))
            expect(fits, "lists", (tokens, parent), "(tokens, parent), one root, parents before their children")
        super().__init__(
            alt=(
                "A nested list drawn as a tree. The leaves are digits, which can be changed; the inner nodes say MAX "
                "or MIN, and beside each stands the value that the trained network gives to its list, with the true "
                "one where it is wrong. An edge is the thicker, the more of that child its parent keeps."
            ),
            invite="Change a digit: tap it, or use the arrow keys. Tap MAX to make it MIN.",
            data={"lists": [{"tokens": list(tokens), "parent": list(parent)} for tokens, parent in lists]},
            tensors=dict(weights),
            precision="float16",
        )
