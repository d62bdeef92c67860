"""When gates open: one sequence of the adding task, a gate, and what each number does to the answer."""

import numpy as np
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked
from attend.figures.style import PALETTE, canvas


@checked
def opening(x: Float[Tensor, "T 2"], taken: Float[Tensor, " T"], heard: Float[Tensor, " T"]) -> None:
    """One sequence of the adding task with its marked numbers filled; how far a gate opens; what each number moves.

    `taken` is 1 - z at each step, `heard` the derivative of the answer by the number of each step.
    """
    steps, numbers, marked = np.arange(1, len(x) + 1), x[:, 0].numpy(), x[:, 1].numpy() > 0
    with canvas(3, 1, height=4.0, sharex=True) as (_, (above, middle, below)):
        above.plot(steps, numbers, "o", color=PALETTE["input"], ms=3, mfc="none", mew=0.8)
        above.plot(steps[marked], numbers[marked], "o", color=PALETTE["input"], ms=7)
        above.set(ylabel="number", ylim=(-0.15, 1.15), yticks=(0, 1))
        middle.bar(steps, taken.numpy(), width=0.9, color=PALETTE["gate"])
        middle.set(ylabel="1 − z", ylim=(0, None))
        below.bar(steps, heard.numpy(), width=0.9, color=PALETTE["summary"])
        below.set(xlabel="step", ylabel="answer moves", xlim=(0, len(x) + 1))
