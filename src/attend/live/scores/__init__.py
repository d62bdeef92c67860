"""A query among five keys: each of six scores, at any width and temperature, and what is read by it."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

WIDTHS = (2, 4, 16, 64)
HIDDEN = 16
"""Hidden units of the additive score."""


class Scores(LiveFigure):
    """A query and five keys in the plane, wherever the reader drags them, with the weight of each key.

    At a width above 2 every vector has further numbers, standard normal ones from `generator`, which stay as they are;
    the plane shows the first two. The weights of the learned scores are drawn as `attend.soft.scores.Score` draws them.
    `keys` and `query` are the places to begin with, each number from -2.4 to 2.4. Raises ValueError for others.
    """

    @checked
    def __init__(
        self,
        keys: Float[Tensor, "5 2"],
        query: Sequence[float] = (0.8, -0.6),
        generator: torch.Generator | None = None,
    ):
        expect(bool((keys.abs() <= 2.4).all()), "keys", keys, "numbers from -2.4 to 2.4")
        fits = len(query) == 2 and all(abs(value) <= 2.4 for value in query)
        expect(fits, "query", query, "two numbers from -2.4 to 2.4")
        most, S = WIDTHS[-1], len(keys)
        shapes = {
            "rest": (S + 1, most - 2),  # the query's first
            "M": (most, most),
            "W": (HIDDEN, most),
            "U": (HIDDEN, most),
            "v": (HIDDEN,),
            "L": (S, most),
        }
        super().__init__(
            alt=(
                "A plane with an orange query and five blue keys, all of them to be dragged. Around each key is a "
                "disc, the larger, the more weight the key has; a purple diamond stands where the weighted mean of "
                "the keys is. Beside the plane, five rows give the score and the weight of each key as numbers and "
                "bars. With the dot product at width 64 one key has nearly all the weight, almost wherever the "
                "query is dragged; divided by the square root of the width, all keys have a share again."
            ),
            invite="At this width one key takes all. Drag the query; then choose the scaled dot product.",
            data={
                "keys": keys.double().tolist(),
                "query": [float(value) for value in query],
                "widths": list(WIDTHS),
            },
            tensors={name: torch.randn(*shape, generator=generator) for name, shape in shapes.items()},
            precision="float16",
        )
