"""Five places with scores in the reader's hands: what each way makes of them, and its gradient beside the exact one."""

from collections.abc import Sequence

import torch

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LETTERS = "ABC"
SCENES = {"one place knows": "BABCC", "three know": "AACBA", "all the same": "AAAAA"}
"""The letter at each of five places; the right answer is always A."""
WAYS = ("REINFORCE", "straight-through Gumbel", "Gumbel-softmax", "soft", "sparsemax")
DRAWS = 1_000
SURE = 3.0
"""The logit that a place gives to its own letter; the others get 0."""


class SoftOrHard(LiveFigure):
    """Scores of five places to be dragged, and a temperature; draws fall one by one, estimates stand beside the truth.

    `scores` are those to begin with, five numbers from -3 to 3. The noise is drawn when the figure is made, from
    `generator`. Raises ValueError for other scores.
    """

    @checked
    def __init__(
        self,
        scores: Sequence[float] = (0.5, 1.0, 0.0, -0.5, 0.8),
        generator: torch.Generator | None = None,
    ):
        fits = len(scores) == 5 and all(-3 <= score <= 3 for score in scores)
        expect(fits, "scores", scores, "five numbers from -3 to 3")
        noise = torch.empty(DRAWS, 5).exponential_(generator=generator).log().neg()
        super().__init__(
            alt=(
                "Five places, each with a letter, and a handle for the score of each. Beside every handle a purple "
                "arrow shows the exact gradient of the mean log-probability of the letter A when one place is drawn, "
                "and a grey one the estimate that the chosen way makes of it. Below, four rows of bars say what is "
                "read of the five places: softmax weights, sparsemax weights of which some are zero, a Gumbel-softmax "
                "that turns from even bars into a single one as the temperature falls, and a draw, one bar alone. "
                "The estimate of REINFORCE from one draw points elsewhere than the gradient, and the mean of many "
                "comes to lie on it; the mean of straight-through Gumbel does not."
            ),
            invite="The right answer is A. Draw a hundred times by each way: whose grey arrows reach the purple ones?",
            data={
                "letters": list(LETTERS),
                "names": list(SCENES),
                "scenes": {name: [LETTERS.index(letter) for letter in row] for name, row in SCENES.items()},
                "ways": list(WAYS),
                "scores": [float(score) for score in scores],
                "sure": SURE,
            },
            tensors={"noise": noise},
        )
