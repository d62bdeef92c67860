"""One update of a gated unit in the plane: the old summary, the candidate, and the new summary between them."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class GatePlane(LiveFigure):
    """Summaries of two numbers: h = z ⊙ old + (1 - z) ⊙ candidate, candidate = tanh(push + r ⊙ U old).

    `old` is the summary to begin with and `alone` = tanh(push) the candidate that the input by itself would make, two
    numbers from -0.95 to 0.95 each. U (2, 2) are the candidate's recurrent weights; `keep` and `reset` the gates z and
    r, one value for both numbers, from 0 to 1. Raises ValueError for other values.
    """

    @checked
    def __init__(
        self,
        U: Float[Tensor, "2 2"],
        old: Sequence[float] = (-0.6, 0.75),
        alone: Sequence[float] = (0.7, -0.55),
        keep: float = 0.5,
        reset: float = 1.0,
    ):
        for name, point in (("old", old), ("alone", alone)):
            fits = len(point) == 2 and all(abs(value) <= 0.95 for value in point)
            expect(fits, name, point, "two numbers from -0.95 to 0.95")
        for name, gate in (("keep", keep), ("reset", reset)):
            expect(0 <= gate <= 1, name, gate, "a number from 0 to 1")
        super().__init__(
            alt=(
                "A plane of summaries with two numbers each. A blue ring is the old summary, an orange dot what the "
                "input alone would make of it. A grey curve leads from the orange dot to the candidate that counts "
                "the old summary in full; the candidate, an orange square, stands on it where the reset gate says. The "
                "new summary, a large blue dot, lies between the old summary and the candidate, where the keep gate "
                "says: on a line while both numbers share their gates, else in a rectangle. Sliders set the gates."
            ),
            invite="Turn r down: where does the square go? Drag the large blue dot to the ring. Does r still matter?",
            data={
                "U": U.to(torch.float64).tolist(),
                "old": [float(value) for value in old],
                "alone": [float(value) for value in alone],
                "keep": [float(keep)] * 2,
                "reset": [float(reset)] * 2,
            },
        )
