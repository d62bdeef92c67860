"""One cell with three gates in the reader's hand: what of a pulse is kept, and what of it is shown?"""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class LSTMGates(LiveFigure):
    """One LSTM cell: c_t = f_t c_{t-1} + i_t tanh(x_t), h_t = o_t tanh(c_t), from c_0 = 0.

    `inputs` are 20 to 60 numbers from -1.5 to 1.5, among which a pulse of 1.5 comes at step `at`, in place of the
    number that stands there. The reader draws the gates i, f and o, a value from 0 to 1 for each step, and moves the
    pulse. Raises ValueError for other values.
    """

    @checked
    def __init__(self, inputs: Sequence[float], at: int = 6):
        fits = 20 <= len(inputs) <= 60 and all(abs(value) <= 1.5 for value in inputs)
        expect(fits, "inputs", inputs, "20 to 60 numbers from -1.5 to 1.5")
        expect(1 <= at <= len(inputs), "at", at, f"a step from 1 to {len(inputs)}")
        super().__init__(
            alt=(
                f"Five rows over {len(inputs)} steps. On top the inputs: one large pulse early on, small disturbances "
                "at all other steps. Then three green lines to draw, the input gate, the forget gate and the output "
                "gate, each between 0 and 1; all stand at one half. Below, the cell as a blue line, what of the pulse "
                "is still in it as a dashed red line, and what is shown as blue bars. The pulse enters the cell and "
                "is gone after some five steps. With the forget gate at 1 and the input gate shut after the pulse, "
                "the line of the cell stays level to the last step."
            ),
            invite="The pulse is soon lost. Stroke the top of the forget gate, then shut the input gate behind it.",
            data={"inputs": [float(value) for value in inputs], "at": at, "size": 1.5},
        )
