"""The recurrent unit in the plane: a cloud of summaries, their updates, and every weight to change."""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class ElmanPlane(LiveFigure):
    """Summaries of two numbers, each with an arrow to its update h = tanh(W x + U h + b).

    `summaries` (N, 2) is the cloud before the update; W and U (2, 2) and b (2) are the weights to begin with, rounded
    to tenths, and `x` the input. Raises ValueError for other shapes, more than 200 summaries, and numbers beyond 2.
    """

    @checked
    def __init__(
        self,
        summaries: Float[Tensor, "N 2"],
        W: Float[Tensor, "2 2"],
        U: Float[Tensor, "2 2"],
        b: Float[Tensor, "2"],
        x: Sequence[float] = (1.0, 0.5),
    ):
        for name, matrix in (("W", W), ("U", U), ("b", b)):
            expect(bool((matrix.abs() <= 2).all()), name, matrix, "values from -2 to 2")
        expect(len(summaries) <= 200, "summaries", summaries, "at most 200 rows")
        expect(len(x) == 2 and all(abs(value) <= 2 for value in x), "x", x, "two numbers from -2 to 2")
        W, U, b = ((10 * matrix.double()).round() / 10 for matrix in (W, U, b))
        super().__init__(
            alt=(
                f"A plane of summaries with two numbers each. {len(summaries)} grey dots are summaries before an "
                "update, blue dots the same summaries after it, and a line leads from each to its update. All blue "
                "dots lie within the square from minus one to one. Beside it a smaller plane holds the orange input, "
                "and below stand the weights of the unit as numbers to change. As long as the input's weights are "
                "zero, moving the input moves no dot."
            ),
            invite="Drag the orange input. Why does nothing happen? Then drag a number of W, and try again.",
            data={"W": W.tolist(), "U": U.tolist(), "b": b.tolist(), "x": [float(value) for value in x]},
            tensors={"summaries": summaries.to(torch.float32)},
        )
