"""Attention over the neighbours of a graph: pick a patch of ink, see whom it reads, and cut it off from the others."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

WEIGHTS = ("embed", "embed_b", "own", "own_b", "message", "query", "query_b", "key", "score", "head", "head_b")
NEEDS = {"features", "neighbours", "labels", "picked"}


class PatchAttention(LiveFigure):
    """The patches of a canvas and who touches whom; the trained network names each one digit or scrap.

    `weights` holds the tensors that WEIGHTS names: of the first linear layer, the graph attention layer and the head.
    A canvas has `features` (N rows of numbers, the last two of them row and column), `neighbours` (lists of node
    numbers), `labels` (0 digit, 1 scrap) and the node `picked` at the start. Raises ValueError for a tensor or a part
    that is missing, and for neighbours that do not answer each other.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], canvases: Sequence[Mapping[str, Any]]):
        expect(set(weights) == set(WEIGHTS), "weights", sorted(weights), f"tensors named {', '.join(WEIGHTS)}")
        expect(len(canvases) > 0, "canvases", canvases, "at least one canvas")
        for shown in canvases:
            expect(set(shown) == NEEDS, "canvases", sorted(shown), f"canvases with {', '.join(sorted(NEEDS))}")
            near = shown["neighbours"]
            mutual = all(v in near[u] for v, others in enumerate(near) for u in others)
            expect(mutual, "canvases", near, "neighbours that have each other")
        super().__init__(
            alt=(
                "The patches of a canvas as circles, joined by lines where they touch. The fuller a circle is "
                "coloured, the surer the network is that the patch belongs to the digit. One patch is picked; lines to "
                "its neighbours are the thicker, the more it reads of them. Cut off from them, it often gets another "
                "name."
            ),
            invite="Pick a patch. Whom does it read? Then cut it off from its neighbours.",
            data={"canvases": [dict(shown) for shown in canvases]},
            tensors=dict(weights),
            precision="float16",
        )
