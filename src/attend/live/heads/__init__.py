"""The pattern of places: two of them to move, the hands of their clocks, and their product by distance."""

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

WIDTHS = (8, 16, 32, 64)


class Sinusoids(LiveFigure):
    """Sinusoids of `places` places, and two places of them, `first` and `second`, wherever the reader puts them.

    `D` is the width to begin with, one of WIDTHS. Raises ValueError for another, for fewer than 16 places, and for a
    first or second place that is not among them.
    """

    @checked
    def __init__(self, places: int = 64, first: int = 12, second: int = 20, D: int = 32):
        expect(16 <= places <= 128, "places", places, "a whole number from 16 to 128")
        expect(0 <= first < places, "first", first, f"a place from 0 to {places - 1}")
        expect(0 <= second < places, "second", second, f"a place from 0 to {places - 1}")
        expect(D in WIDTHS, "D", D, f"one of {', '.join(map(str, WIDTHS))}")
        super().__init__(
            alt=(
                f"A table of colours with a column for each of {places} places and a row for each number of their "
                "encodings: the upper rows change sign every few places, the lower ones hardly at all. An orange and "
                "a blue handle choose two places. Below it, clocks: each has an orange and a blue hand, and turns more "
                "slowly than the one before. Last, the product of the two encodings as a curve over their distance: "
                "largest at distance 0, the same on both sides, and falling in waves. When both places move together "
                "all hands turn, and the product stays."
            ),
            invite="Drag the blue place away from the orange one. Which clock is the first to tell them apart?",
            data={"places": places, "first": first, "second": second, "D": D, "widths": list(WIDTHS)},
        )
