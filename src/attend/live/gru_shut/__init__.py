"""One bit, 200 steps, and a gate in the reader's hand: how much of the bit is left at the end?"""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class ShutGate(LiveFigure):
    """One number under one gate: h_t = z_t h_{t-1} + (1 - z_t) tanh(x_t), from h_0 = 0.

    `inputs` are 20 to 400 numbers from -3 to 3: the first is the bit, for which the gate stands open (z_1 = 0), the
    others come while it is to be kept. The reader sets the `level` at which the gate stands, as steps that it lasts: 1
    / (1 - z); `opened` is a step at which it stands open to begin with, or None. Raises ValueError for other values.
    """

    @checked
    def __init__(self, inputs: Sequence[float], level: float = 30.0, opened: int | None = None):
        fits = 20 <= len(inputs) <= 400 and all(abs(value) <= 3 for value in inputs)
        expect(fits, "inputs", inputs, "20 to 400 numbers from -3 to 3")
        expect(2 <= level <= 10_000, "level", level, "a number of steps from 2 to 10,000")
        whole = opened is None or 2 <= opened <= len(inputs)
        expect(whole, "opened", opened, f"None, or a step from 2 to {len(inputs)}")
        super().__init__(
            alt=(
                f"Three rows over {len(inputs)} steps. On top the candidates: one bit, 1 or -1, at the first step, and "
                "noise at all others. In the middle the gate, a green line from 0 (open) to 1 (shut), that the reader "
                "can raise and lower, and a point that opens it at one step. Below the hidden state: it begins at the "
                "bit. While the gate stands a little open it drifts into the noise; when the gate is shut, z = 1, it "
                "stays where it was to the last step."
            ),
            invite="The bit is lost in the noise. Drag the green line up until the gate is shut. Then open it once.",
            data={"inputs": [float(value) for value in inputs], "level": float(level), "opened": opened},
        )
