"""The vanilla RNN in the plane: a cloud of hidden states, one step of each, and every weight to change."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class ElmanPlane(LiveFigure):
    """Hidden states of two numbers, each with a line to its next one, h = tanh(W x + U h + b).

    `states` (N, 2) is the cloud before the step; W and U (2, 2) and b (2) are the weights to begin with, rounded
    to tenths, and `x` the input. Raises ValueError for other shapes, more than 200 states, and numbers beyond 2.
    """

    @checked
    def __init__(
        self,
        states: Float[Tensor, "N 2"],
        W: Float[Tensor, "2 2"],
        U: Float[Tensor, "2 2"],
        b: Float[Tensor, "2"],
        x: Sequence[float] = (1.0, 0.5),
    ):
        for name, matrix in (("W", W), ("U", U), ("b", b)):
            expect(bool((matrix.abs() <= 2).all()), name, matrix, "values from -2 to 2")
        expect(len(states) <= 200, "states", states, "at most 200 rows")
        expect(len(x) == 2 and all(abs(value) <= 2 for value in x), "x", x, "two numbers from -2 to 2")
        W, U, b = ((10 * matrix.double()).round() / 10 for matrix in (W, U, b))
        super().__init__(
            alt=(
                f"A plane of hidden states with two numbers each. {len(states)} grey dots are states before a "
                "step, blue dots the same states after it, and a line joins the two. All blue "
                "dots lie within the square from minus one to one. Beside it a smaller plane holds the orange input, "
                "and below stand the weights as numbers to change. As long as the input's weights are "
                "zero, moving the input moves no dot."
            ),
            invite="Drag the orange input. Why does nothing happen? Then drag a number of W, and try again.",
            data={"W": W.tolist(), "U": U.tolist(), "b": b.tolist(), "x": [float(value) for value in x]},
            tensors={"states": states.to(torch.float32)},
        )
