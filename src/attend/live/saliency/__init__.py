"""A digit to push about in a crowd: where a net without attention is sensitive, and where one with attention looks."""

from collections.abc import Mapping, Sequence
from typing import Any

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

Piece = tuple[int, int, int]


class Saliency(LiveFigure):
    """A canvas of 36 x 36 pixels, the slope of a plain net's answer at each, and the weights of one with attention.

    `digits` (N, 14, 14) and `clutter` (M, 6, 6), float in [0, 1], are the things that can lie on the canvas. At the
    start these are digit number `digit` from `corner` (row, column) on, and the `pieces` (number, row, column).
    `weights` are those of both nets by name, see attend.recipes.saliency.tensors; a slope of `full` is drawn in full
    colour. Raises ValueError for things that are not there or leave the canvas.
    """

    @checked
    def __init__(
        self,
        digits: Float[Tensor, "N 14 14"],
        clutter: Float[Tensor, "M 6 6"],
        weights: Mapping[str, Any],
        digit: int = 0,
        corner: tuple[int, int] = (11, 11),
        pieces: Sequence[Piece] = (),
        full: float = 1.0,
    ):
        expect(len(digits) <= 12, "digits", digits, "1 to 12 digits of 14 x 14")
        expect(0 <= digit < len(digits), "digit", digit, f"a whole number from 0 to {len(digits) - 1}")
        expect(min(corner) >= 0 and max(corner) <= 22, "corner", corner, "a row and a column from 0 to 22")
        there = all(0 <= number < len(clutter) and min(at) >= 0 and max(at) <= 30 for number, *at in pieces)
        expect(there, "pieces", pieces, f"numbers from 0 to {len(clutter) - 1}, rows and columns from 0 to 30")
        expect(0 < full < float("inf"), "full", full, "a positive number")
        wanted = [
            f"{net}_conv{n}_{part}" for net in ("plain", "reading") for n in (1, 2) for part in ("weight", "bias")
        ]
        wanted += [
            "plain_conv3_weight",
            "plain_conv3_bias",
            "reading_query",
            "reading_readout_weight",
            "reading_readout_bias",
        ]
        expect(sorted(weights) == sorted(wanted), "weights", sorted(weights), f"tensors named {', '.join(wanted)}")
        super().__init__(
            alt=(
                "A canvas of 36 by 36 pixels with one handwritten digit among pieces of others. Beside it, two maps of "
                "the same canvas. The first says how strongly each pixel moves the answer of a net without attention: "
                "dark around the strokes of the digit, faint around the pieces. The second shows the weights that a "
                "net with attention gives to 12 by 12 places: almost all on a few of them, where the digit stands. "
                "Both follow the digit when it is moved."
            ),
            invite="Drag the digit through the crowd. Do both maps follow it, and what if a piece lies over it?",
            data={
                "width": 36,
                "full": full,
                "scene": {"digit": digit, "corner": list(corner), "pieces": [list(piece) for piece in pieces]},
            },
            tensors={
                **weights,
                "digits": (digits * 255).round().byte(),
                "pieces": (clutter * 255).round().byte(),
            },
            precision="float16",
        )
