"""Samples around a mean: how each pulls on it, the step that they make together, and f in the reader's hands."""

import torch

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

PLACES = (-3, -2, -1, 0, 1, 2, 3)
"""Where the heights of f are given; between them it is straight, beyond the ends it stays as it is."""
SHAPES = {
    "bowl": (8.6, 5.6, 3.4, 2.1, 1.5, 1.8, 2.8),
    "needle": (6.0, 6.0, 6.0, 6.0, 6.0, 1.0, 6.0),
    "two valleys": (6.0, 3.0, 4.4, 6.0, 3.6, 0.8, 4.0),
}
DRAWS, COUNT = 200, 8
"""Draws that the figure holds, and the samples in each."""


class Reinforce(LiveFigure):
    """Eight samples of a normal distribution along one axis, whose mean moves down a curve that the reader may bend.

    `mean` (-3 to 3) and `sigma` (0.2 to 1) are those to begin with; `rate` is the size of steps. The samples come
    from `generator` when the figure is made. Raises ValueError for numbers outside.
    """

    @checked
    def __init__(
        self,
        mean: float = -1.6,
        sigma: float = 0.6,
        rate: float = 0.12,
        generator: torch.Generator | None = None,
    ):
        expect(-3 <= mean <= 3, "mean", mean, "a number from -3 to 3")
        expect(0.2 <= sigma <= 1, "sigma", sigma, "a number from 0.2 to 1")
        expect(0 < rate <= 1, "rate", rate, "a number above 0, at most 1")
        super().__init__(
            alt=(
                "Above, a curve f over one axis, with seven handles to bend it and a purple handle for the mean below. "
                "A thin line is the mean of f over all places that may be drawn. "
                "Eight purple dots on the curve are samples around the mean. Below, an arrow for each sample says "
                "where it would move the mean, and a thick one is the mean of these arrows, the step. A band of small "
                "marks shows the steps of two hundred draws, a diamond the exact one. Without a baseline "
                "every arrow points away from its sample and the marks spread far to both sides; with a baseline "
                "low samples pull, high ones push, and the marks draw together around the diamond."
            ),
            invite="Draw anew a few times. Then give it a baseline: which arrows turn round?",
            data={
                "places": list(PLACES),
                "shapes": {name: list(heights) for name, heights in SHAPES.items()},
                "mean": float(mean),
                "sigma": float(sigma),
                "rate": float(rate),
            },
            tensors={"noise": torch.randn(DRAWS, COUNT, generator=generator)},
        )
