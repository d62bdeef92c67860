"""A trained clockwork RNN that says a recorded wave from memory in the browser; each module's clock can be stopped."""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class Clockwork(LiveFigure):
    """The modules as rows, slow to fast, with what their units hold at each step; below them, the wave they make.

    `wave` (T) is the recording; `periods` are the clocks, fast to slow; `weights` holds W (H, 1), U (H, H), b (H), the
    read-out R (1, H) and c (1), with H a multiple of the number of periods. `stops` gives, for some periods, the
    step at which their clock stops at first. Raises ValueError for shapes or stops that do not fit.
    """

    @checked
    def __init__(
        self,
        wave: Float[Tensor, " T"],
        periods: Sequence[int],
        weights: Mapping[str, Tensor],
        stops: Mapping[int, int] | None = None,
    ):
        T, stops = len(wave), dict(stops or {})
        expect(bool(wave.max() > wave.min()), "wave", wave, "samples that move")
        grow = len(periods) > 0 and periods[0] >= 1 and all(a < b for a, b in pairwise(periods))
        expect(grow, "periods", periods, "whole numbers that grow, as in (1, 2, 4)")
        H = len(weights.get("b", torch.zeros(0)))
        shapes = {"W": (H, 1), "U": (H, H), "b": (H,), "R": (1, H), "c": (1,)}
        got = {name: tuple(value.shape) for name, value in weights.items()}
        fits = got == shapes and H > 0 and H % len(periods) == 0
        expect(fits, "weights", got, f"shapes {shapes}, with H a multiple of {len(periods)}")
        known = all(period in periods and 0 <= step <= T for period, step in stops.items())
        expect(known, "stops", stops, f"periods of the network and steps up to {T}")
        super().__init__(
            alt=(
                f"{len(periods)} rows, one for each module, from a clock that ticks every {periods[-1]} steps "
                f"down to one that ticks every {periods[0]}. Slow rows show long even bars, fast rows fine stripes. "
                "Below them the recorded wave and the one that the network makes. Stopping the clock of a row changes "
                "the rows below it and the wave, and never a row above it."
            ),
            invite="Drag along a row to stop its clock there. Which rows notice, and what becomes of the wave?",
            data={"periods": [*periods], "stops": [stops.get(period, T) for period in periods]},
            tensors={"wave": wave, **weights},
        )
