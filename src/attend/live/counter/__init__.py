"""A learned counter at several moments of its training: drag the series, see its count and the units of every layer."""

import re
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.live.figure import LiveFigure

LIMIT = 3.5
"""How far from 0 the figure can show a value."""


class Counter(LiveFigure):
    """A series to drag over the interval [0, 1], what a stacked GRU with a scalar read-out counts, and its units.

    `moments` holds state dicts of one `attend.gating.counter.LearnedCounter` of GRU layers, from before its training to
    the end; they travel as float16. `seen` says how many series it had learned from at each. `series` holds by name the
    series to choose from, all of one length, with values from -3.5 to 3.5; those in training had `learned` steps.
    Raises ValueError for weights of other shapes, and for series and numbers that do not fit.
    """

    @checked
    def __init__(
        self,
        moments: Sequence[Mapping[str, Tensor]],
        seen: Sequence[int],
        series: Mapping[str, Sequence[float]],
        learned: Positive,
    ):
        expect(len(moments) > 0, "moments", moments, "at least one state dict")
        expect(len(seen) == len(moments), "seen", seen, f"a number of series for each of {len(moments)} moments")
        expect(len(series) > 0, "series", series, "at least one series")
        lengths = {len(values) for values in series.values()}
        expect(len(lengths) == 1 and min(lengths) >= 8, "series", lengths, "series of one length, at least 8")
        spread = torch.tensor([float(v) for values in series.values() for v in values])
        expect(bool((spread.abs() <= LIMIT).all()), "series", spread, f"values from -{LIMIT} to {LIMIT}")
        layers = len([name for name in moments[0] if re.fullmatch(r"stack\.layers\.\d+\.from_hidden\.weight", name)])
        expect(layers > 0, "moments", sorted(moments[0]), "state dicts of a stack of layers")
        width = moments[0]["stack.layers.0.from_hidden.weight"].shape[1]
        shapes = _shapes(layers, width)
        for moment in moments:
            found = {name: tuple(values.shape) for name, values in moment.items()}
            expect(found == shapes, "moments", found, f"weights of {layers} GRU layers of {width} units and one output")
        steps = lengths.pop()
        super().__init__(
            alt=(
                f"A series of {steps} steps over a grey band from 0 to 1. Below it the true number of entrances so far "
                "as a staircase, and what the trained network says as a thick blue line that follows it up the stairs "
                "and flattens out where the count goes on beyond those of the training. A dashed line marks the most "
                f"that the network can ever say. Below that, for each of {layers} layers, {width} rows show what each "
                f"unit holds meanwhile. A slider goes through {len(seen)} moments of the training."
            ),
            invite="Drag the line into the band once more. Can you make the network count higher than it ever did?",
            data={
                "seen": list(seen),
                "layers": layers,
                "width": width,
                "learned": learned,
                "series": [[name, [round(float(v), 3) for v in values]] for name, values in series.items()],
            },
            tensors={f"{at}.{name}": values for at, moment in enumerate(moments) for name, values in moment.items()},
            precision="float16",
        )


def _shapes(layers: int, width: int) -> dict[str, tuple[int, ...]]:
    shapes = {"head.weight": (1, width), "head.bias": (1,)}
    for k in range(layers):
        shapes[f"stack.layers.{k}.from_input.weight"] = (3 * width, width if k else 1)
        shapes[f"stack.layers.{k}.from_input.bias"] = (3 * width,)
        shapes[f"stack.layers.{k}.from_hidden.weight"] = (3 * width, width)
    return shapes
