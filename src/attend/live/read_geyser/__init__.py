"""Reading Old Faithful's past: a query to drag along the durations, a kernel to widen, and what is read."""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class GeyserReader(LiveFigure):
    """Eruptions as keys and values: how long each lasted, how long the wait after it was, both in minutes.

    `duration` and `wait` (N) are the eruptions; `short` parts them into the two clusters whose means are the smaller
    memory. The query stands at `query` minutes at first, the kernel is `width` minutes wide. Raises ValueError unless
    both clusters have eruptions, and all lie from 1 to 6 minutes.
    """

    @checked
    def __init__(
        self,
        duration: Float[Tensor, "N"],
        wait: Float[Tensor, "N"],
        short: float = 3.0,
        query: float = 2.0,
        width: float = 0.3,
    ):
        inside = bool(((duration >= 1) & (duration <= 6)).all())
        expect(inside, "duration", duration, "values from 1 to 6")
        parts = [duration < short, duration >= short]
        expect(all(bool(part.any()) for part in parts), "short", short, "a number with eruptions on both sides")
        expect(1.5 <= query <= 5.3, "query", query, "a number from 1.5 to 5.3")
        expect(0.05 <= width <= 2, "width", width, "a number from 0.05 to 2")
        super().__init__(
            alt=(
                f"{len(duration)} eruptions as dots: how long each lasted on the horizontal axis, how long the wait "
                "after it was on the vertical one. They form two clouds, short eruptions with short waits and long "
                "ones with long waits. An orange query on the horizontal axis stands for the eruption that has just "
                "ended. The dots near it are dark, for they have the large weights, and a blue curve shows the "
                "weighted mean of the waits that would be read at each place."
            ),
            invite="Drag the orange query along the axis. Then make the kernel narrow, and very wide.",
            data={"query": query, "width": width},
            tensors={
                "duration": duration,
                "wait": wait,
                "duration/means": torch.stack([duration[part].mean() for part in parts]),
                "wait/means": torch.stack([wait[part].mean() for part in parts]),
            },
        )
