"""Five places with scores in the reader's hands: what soft reads, what hard draws, and three aims with their slopes."""

from collections.abc import Sequence

import torch

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LETTERS = "ABC"
SCENES = {"one place knows": "BABCC", "three know": "AACBA", "all the same": "AAAAA"}
"""The letter at each of five places; the right answer is always A."""
DICE = 2_000
SURE = 3.0
"""The logit that a place gives to its own letter; the others get 0."""


class SoftOrHard(LiveFigure):
    """Scores of five places to be dragged; draws fall one by one, and estimates stand beside exact slopes.

    `scores` are those to begin with, five numbers from -3 to 3. The dice are thrown when the figure is made, from
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
        super().__init__(
            alt=(
                "Five places, each with a letter, and a purple handle for the score of each. Beside every handle "
                "arrows say how the score should move: by the marginal, by the bound, by soft reading, and by an "
                "estimate from drawn looks. Below, bars show each place's chance, and grey bars the share of the looks "
                "that fell on it. "
                "Two rows of bars give the chance of the letters A, B and C, after soft reading and after the last "
                "look. One look is drawn at the start, and its estimate points elsewhere than the slope. Where one "
                "place alone knows the answer, all three aims lift it; where all places say the same, none of the "
                "three has an arrow left, and what the estimate still shows without a baseline is noise."
            ),
            invite="The right answer is A. Draw looks: when does the estimate point as the bound’s arrows do?",
            data={
                "letters": list(LETTERS),
                "names": list(SCENES),
                "scenes": {name: [LETTERS.index(letter) for letter in row] for name, row in SCENES.items()},
                "scores": [float(score) for score in scores],
                "sure": SURE,
            },
            tensors={"dice": torch.rand(DICE, generator=generator)},
        )
