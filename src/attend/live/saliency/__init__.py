"""A digit to push about in a crowd: where a net without attention is sensitive, and where one with attention looks."""

from collections.abc import Mapping, Sequence
from typing import Any

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

Piece = tuple[int, int, int]


NETS = ("average", "marked", "attention")
LAYERS = ("conv1", "conv2", "conv3", "conv4", "head")
WANTED = [f"{net}_{layer}_{part}" for net in NETS for layer in LAYERS for part in ("weight", "bias")]
WANTED.append("attention_query")


class Saliency(LiveFigure):
    """A canvas of 36 x 36 pixels, a map of where a net without attention looks, and the weights of one with attention.

    `digits` (N, 14, 14) and `clutter` (M, 6, 6), float in [0, 1], are the things that can lie on the canvas. At the
    start these are digit number `digit` from `corner` (row, column) on, and the `pieces` (number, row, column); piece
    number `mark` is the mark. `weights` are those of three nets by name, see
    attend.recipes.saliency_figure.tensors; a gradient of `full` is drawn in full colour. Raises ValueError for things
    that are not there or leave the canvas.
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
        mark: int = 0,
        full: float = 1.0,
    ):
        expect(len(digits) <= 12, "digits", digits, "1 to 12 digits of 14 x 14")
        expect(0 <= digit < len(digits), "digit", digit, f"a whole number from 0 to {len(digits) - 1}")
        expect(min(corner) >= 0 and max(corner) <= 22, "corner", corner, "a row and a column from 0 to 22")
        there = all(0 <= number < len(clutter) and min(at) >= 0 and max(at) <= 30 for number, *at in pieces)
        expect(there, "pieces", pieces, f"numbers from 0 to {len(clutter) - 1}, rows and columns from 0 to 30")
        expect(0 <= mark < len(clutter), "mark", mark, f"a whole number from 0 to {len(clutter) - 1}")
        expect(0 < full < float("inf"), "full", full, "a positive number")
        expect(sorted(weights) == sorted(WANTED), "weights", sorted(weights), f"tensors named {', '.join(WANTED)}")
        super().__init__(
            alt=(
                "A canvas of 36 by 36 pixels with one handwritten digit among pieces of others, and a small square "
                "mark. Beside it, two maps of the same canvas. The first says how strongly each pixel moves the answer "
                "of a net without attention: dark around the strokes of the digit. The second shows the weights that a "
                "net with attention gives to 9 by 9 positions: almost all on a few of them, where the digit stands. "
                "Both follow the digit when it is moved."
            ),
            invite="Drag the digit through the crowd. Do both maps follow it? Then drag the mark.",
            data={
                "width": 36,
                "full": full,
                "mark": mark,
                "scene": {"digit": digit, "corner": list(corner), "pieces": [list(piece) for piece in pieces]},
            },
            tensors={
                **weights,
                "digits": (digits * 255).round().byte(),
                "pieces": (clutter * 255).round().byte(),
            },
            precision="int8",
        )
