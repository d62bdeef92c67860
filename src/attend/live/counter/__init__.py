"""A trained counter at several moments of its training: drag the series, and see its counts, summary and gates."""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LIMIT = 3.5
"""How far from 0 the figure can show a value."""


class Counter(LiveFigure):
    """A series to drag over the interval [0, 1], the chances that a trained GRU gives to each count, and its units.

    The weights stand on top of each other, once for each of E saved moments, in the order of the package's GRU: W (E,
    3H, 1), U (E, 3H, H), b (E, 3H), and of its readout: `readout` (E, V, H), `bias` (E, V). They travel as float16.
    `seen` says how many series had been learned from at each moment. `series` holds by name the series to choose from,
    all of one length T, with values from -3.5 to 3.5. `order` lists the units as they are drawn, from above. Raises
    ValueError for shapes that do not fit, and for an order that leaves a unit out.
    """

    @checked
    def __init__(
        self,
        W: Float[Tensor, "E G 1"],
        U: Float[Tensor, "E G H"],
        b: Float[Tensor, "E G"],
        readout: Float[Tensor, "E V H"],
        bias: Float[Tensor, "E V"],
        seen: Sequence[int],
        series: Mapping[str, Sequence[float]],
        order: Sequence[int],
    ):
        E, G, H = U.shape
        expect(G == 3 * H, "U", U, f"three blocks of H = {H} rows, for reset, keep and candidate")
        expect(len(seen) == E, "seen", seen, f"a number of series for each of the E = {E} moments")
        expect(sorted(order) == list(range(H)), "order", order, f"each of the units 0 … {H - 1} once")
        expect(len(series) > 0, "series", series, "at least one series")
        lengths = {len(values) for values in series.values()}
        expect(len(lengths) == 1 and min(lengths) >= 8, "series", lengths, "series of one length, at least 8")
        spread = torch.tensor([float(v) for values in series.values() for v in values])
        expect(bool((spread.abs() <= LIMIT).all()), "series", spread, f"values from -{LIMIT} to {LIMIT}")
        super().__init__(
            alt=(
                f"A series of {lengths.pop()} steps over a grey band from 0 to 1. Below it, for every step, how likely "
                "each count is to the trained counter, as a field of blue cells, with the true count as a "
                f"staircase. Below that, {H} rows show what each number of the summary, or each gate, does meanwhile. "
                f"A slider goes through {E} moments of the training: at the first the field is a blur, at the last "
                "the blue cells follow the staircase."
            ),
            invite="Drag the line into the band once more: which rows turn and stay? Then take the training back.",
            data={
                "seen": list(seen),
                "order": list(order),
                "series": [[name, [round(float(v), 3) for v in values]] for name, values in series.items()],
            },
            tensors={"W": W, "U": U, "b": b, "readout": readout, "bias": bias},
            precision="float16",
        )
