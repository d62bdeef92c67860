"""Two sets of training runs, drawn anew as often as one likes, and how often each rule says that they differ."""

from attend.core.expect import checked, expect
from attend.core.types import PositiveFloat
from attend.live.figure import LiveFigure

MOST = 20
"""Runs a side, at most."""


class Verdicts(LiveFigure):
    """Runs of a base and of a changed model, drawn from two normal distributions, judged by three rules.

    `mean` and `sd` are those of the base, in per cent; the changed model's true mean, `effect` standard deviations
    away (0 to 3), is dragged, and `runs` a side (2 to MOST) are chosen. Raises ValueError for numbers outside.
    """

    @checked
    def __init__(self, mean: PositiveFloat, sd: PositiveFloat, runs: int = 5, effect: float = 2.0):
        expect(2 <= runs <= MOST, "runs", runs, f"a whole number from 2 to {MOST}")
        expect(0 <= effect <= 3, "effect", effect, "a number from 0 to 3")
        super().__init__(
            alt=(
                "Above, two rows of dots along an axis of mistakes: five runs of the base and five of a changed model "
                "whose true mean, a handle, lies two standard deviations further to the right. Below, three curves "
                "over the same axis: how often each rule calls the two different, in two thousand experiments for each "
                "place of the handle. All rise to the right. At the handle Welch's test says so in three of four "
                "experiments, the other two rules in two of five."
            ),
            invite="Draw again a few times. Then drag the true mean back to the base: who still sees a difference?",
            data={"mean": mean, "sd": sd, "runs": runs, "effect": effect, "most": MOST},
        )
