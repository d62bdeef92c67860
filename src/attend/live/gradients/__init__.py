"""Inputs to add and to move: two paths of hidden states, and how fast the difference between them dies."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

MIXES = ((0.65, 0.35), (0.35, 0.65))
"""Recurrent weights of radius 1 that average: eigenvalues 1 and 0.3, both real."""

TURNS = ((0.8, -0.6), (0.6, 0.8))
"""Recurrent weights of radius 1 that turn the plane by 37 degrees: a pair of complex eigenvalues of size 1."""

ENTRY = (0.9, 0.4)
"""The weights W from the single input to the two numbers of the hidden state."""


class VanishingGradients(LiveFigure):
    """A sequence of inputs, the path of two-number states that it makes, and the same path before one input was moved.

    `inputs` are 2 to 10 numbers from -1 to 1; the first stood at `before` when the figure begins. `radius` is the
    spectral radius of the recurrent weights at the start, from 0.5 to 1.3. Raises ValueError for other values.
    """

    @checked
    def __init__(self, inputs: Sequence[float], before: float, radius: float = 1.3):
        fits = 2 <= len(inputs) <= 10 and all(abs(value) <= 1 for value in inputs)
        expect(fits, "inputs", inputs, "2 to 10 numbers from -1 to 1")
        expect(abs(before) <= 1, "before", before, "a number from -1 to 1")
        expect(0.5 <= radius <= 1.3, "radius", radius, "a number from 0.5 to 1.3")
        super().__init__(
            alt=(
                f"A row of {len(inputs)} inputs over time, each a dot to drag up and down. The first was moved, and a "
                "ring marks where it stood. Below, a bar at every step says how far the state has moved, for each "
                "unit that the input was moved, on a logarithmic scale: the bars get shorter step by step. In a "
                "plane, the path of states and the path before the change begin apart and run into one another. A "
                "slider sets the radius of the recurrent weights from 0.5 to 1.3."
            ),
            invite="Drag the first input up or down. How much of it is left at the end? Click in the row to add more.",
            data={
                "inputs": [float(value) for value in inputs],
                "before": float(before),
                "radius": float(radius),
                "shapes": {"mixes": [list(line) for line in MIXES], "turns": [list(line) for line in TURNS]},
                "entry": list(ENTRY),
                "more": [0.4, 0.7, 0.6, 0.3, -0.1, -0.5, -0.7, -0.4, 0.1, 0.5, 0.7, 0.2],
            },
        )
