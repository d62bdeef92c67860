"""A series to drag through an interval, and the handcrafted processor that counts its entrances step by step."""

from collections.abc import Sequence
from math import isfinite

from attend.live.figure import LiveFigure


class Interval(LiveFigure):
    """A short series over the interval [0, 1]; beside it, the two coordinates of the summary, h_t = (x_t, n_t).

    `series` holds 4 to 12 values between -2 and 3; `step` is the step up to which the series has been read at first;
    `kept` is the value that h_0 holds as its last input. Raises ValueError for values out of these ranges.
    """

    def __init__(self, series: Sequence[float], step: int, kept: float = -1.0):
        values = [float(value) for value in series]
        if not 4 <= len(values) <= 12 or not all(isfinite(v) and -2 <= v <= 3 for v in values):
            raise ValueError(f"series: got {values}, expected 4 to 12 values between -2 and 3")
        if not 0 <= step <= len(values):
            raise ValueError(f"step: got {step!r}, expected a step from 0 to {len(values)}")
        if not -2 <= kept <= 3:
            raise ValueError(f"kept: got {kept!r}, expected a value between -2 and 3")
        super().__init__(
            alt=(
                f"A series of {len(values)} points, some of them inside a grey band from 0 to 1. A number stands at "
                "each entrance into the band. Beside it, the summary as a point in a plane: across, the last input; "
                "up, the count. Its path moves left and right with the series and climbs one step at every entrance."
            ),
            invite="Drag a point, or the whole line up, and watch the count; drag t to read the series step by step.",
            data={"series": values, "step": int(step), "kept": float(kept)},
        )
