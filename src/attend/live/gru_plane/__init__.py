"""One step of a GRU of two units in the plane: the old state, the candidate, and the new state between them."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class GatePlane(LiveFigure):
    """Hidden states of two units: h = z ⊙ old + (1 - z) ⊙ candidate, candidate = tanh(push + r ⊙ U old).

    `old` is the state to begin with and `alone` = tanh(push) the candidate that the input by itself would make, two
    numbers from -0.95 to 0.95 each. U (2, 2) are the candidate's recurrent weights; `update` and `reset` the gates z
    and r, one value for both units, from 0 to 1. Raises ValueError for other values.
    """

    @checked
    def __init__(
        self,
        U: Float[Tensor, "2 2"],
        old: Sequence[float] = (-0.6, 0.75),
        alone: Sequence[float] = (0.7, -0.55),
        update: float = 0.5,
        reset: float = 1.0,
    ):
        for name, point in (("old", old), ("alone", alone)):
            fits = len(point) == 2 and all(abs(value) <= 0.95 for value in point)
            expect(fits, name, point, "two numbers from -0.95 to 0.95")
        for name, gate in (("update", update), ("reset", reset)):
            expect(0 <= gate <= 1, name, gate, "a number from 0 to 1")
        super().__init__(
            alt=(
                "A plane of hidden states with two units. A blue ring is the old state, an orange dot what the "
                "input alone would make of it. A grey curve leads from the orange dot to the candidate that counts "
                "the old state in full; the candidate, an orange square, stands on it where the reset gate says. The "
                "new state, a large blue dot, lies between the old state and the candidate, where the update gate "
                "says: on a line while both units share their gates, else in a rectangle. Sliders set the gates."
            ),
            invite="Turn r down: where does the square go? Drag the large blue dot to the ring. Does r still matter?",
            data={
                "U": U.to(torch.float64).tolist(),
                "old": [float(value) for value in old],
                "alone": [float(value) for value in alone],
                "update": [float(update)] * 2,
                "reset": [float(reset)] * 2,
            },
        )
