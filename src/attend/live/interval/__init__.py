"""A series to drag through an interval, the processor that counts its entrances step by step, and a learned one."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class Interval(LiveFigure):
    """A short series over the interval [0, 1]; beside it, the two coordinates of the state, h_t = (x_t, n_t).

    `series` holds 4 to 12 values between -2 and 3; `step` is the step up to which the series has been read at first;
    `kept` is the value that h_0 holds as its last input; `weights` are those of a network that has learned to count, by
    name: A (F, 1), a (F), W (H, F), b (H), U (H, H), R (1, H), r (1). Raises ValueError for values out of these ranges.
    """

    @checked
    def __init__(
        self, series: Sequence[float], step: int, kept: float = -1.0, weights: Mapping[str, Tensor] | None = None
    ):
        values = [float(value) for value in series]
        drawn = 4 <= len(values) <= 12 and all(-2 <= value <= 3 for value in values)
        expect(drawn, "series", values, "4 to 12 values between -2 and 3")
        expect(0 <= step <= len(values), "step", step, f"a step from 0 to {len(values)}")
        expect(-2 <= kept <= 3, "kept", kept, "a value between -2 and 3")
        super().__init__(
            alt=(
                f"A series of {len(values)} points, some of them inside a grey band from 0 to 1. A number stands at "
                "each entrance into the band. Beside it, the state as a point in a plane: across, the last input; "
                "up, the count. Its path moves left and right with the series and climbs one step at every entrance."
                + (" Below stands the count that a trained network states." if weights else "")
            ),
            invite="Drag a point, or the whole line up, and watch the count; drag t to read the series step by step.",
            data={"series": values, "step": int(step), "kept": float(kept)},
            tensors=weights,
        )
