"""TODO: what can be seen and moved in it."""

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class PriorsFigure(LiveFigure):
    """TODO: what it draws. Until then: the line y = `slope` x and a point on it.

    `slope` is a number from -2 to 2. Raises ValueError for others.
    """

    @checked
    def __init__(self, slope: float = 1.0):
        expect(-2 <= slope <= 2, "slope", slope, "a number from -2 to 2")
        super().__init__(
            alt="TODO: what a reader who cannot see the figure should know. A line through the origin of a plane, "
            "and a point on it that follows the slider.",
            invite="TODO: one sentence that asks to touch it. Drag the slider.",
            data={"slope": slope},
        )
