"""The lattice of CTC: all ways in which some digits can stand in the frames of a recording, and what they add up to."""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LONGEST = 14


class Lattice(LiveFigure):
    """Frames from left to right, digits with blanks between them from top to bottom, and the paths through both.

    `few` (T, 11) are the log-probabilities of an example by hand, `early` and `trained` (S, 11) those of a recording,
    from a network early in training and at its end; token 0 is the blank and token d + 1 the digit d. `sound` is the
    recording to hear, `rate` samples a second; `target` are the digits that stand there first in the example, `said`
    those of the recording. Raises ValueError for other numbers of tokens and for digits that are none.
    """

    @checked
    def __init__(
        self,
        few: Float[Tensor, "T 11"],
        early: Float[Tensor, "S 11"],
        trained: Float[Tensor, "S 11"],
        sound: Float[Tensor, "N"],
        rate: int,
        target: str = "37",
        said: str = "337",
    ):
        expect(rate > 0, "rate", rate, "a positive number of samples a second")
        for name, digits in (("target", target), ("said", said)):
            fits = 0 < len(digits) <= LONGEST and set(digits) <= set("0123456789")
            expect(fits, name, digits, f"1 to {LONGEST} digits")
        super().__init__(
            alt=(
                "A lattice with a row for each digit of the target and for the blanks between them, and a column for "
                "each frame. Dots are larger where more of the probability passes; lines join them. In the example by "
                "hand, three frames and the target 37, five paths lead from the left to the right, and add up to "
                "0.613. Below, the probabilities of the tokens in each frame, to drag at one of them, and a table "
                "with the gradient there."
            ),
            invite="Drag the probabilities of a frame up and down, and watch the paths, the loss and the gradient.",
            data={"target": target, "said": said, "rate": rate, "longest": LONGEST},
            tensors={
                "few": few.exp(),
                "early": early.exp(),
                "trained": trained.exp(),
                "sound": ((sound + 1) * 127.5).round().clamp(0, 255).to(torch.uint8),
            },
            precision="float32",
        )
