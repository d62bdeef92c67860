"""Positions as the hands of clocks: two of them to move, and how alike they are at every distance."""

from collections.abc import Sequence

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

WIDTHS = ("8", "32")
ROPE = "rope"


class PositionClocks(LiveFigure):
    """Sinusoids of `places` positions, of which the reader moves two, `first` and `second`, and their product.

    With the `query` and `key` of a trained head, each of d numbers in two halves, RoPE turns them instead, the key at
    the first position and the query at the second; the head was trained on rows of `trained` tokens. `view` is what
    stands there to begin with, a width of sinusoids among WIDTHS or "rope". Raises ValueError for another, for fewer
    than 16 places or more than 128, for positions that are not among them, and for a query and key of different length.
    """

    @checked
    def __init__(
        self,
        places: int = 64,
        first: int = 12,
        second: int = 20,
        view: str = "32",
        query: Sequence[float] = (),
        key: Sequence[float] = (),
        trained: int = 16,
    ):
        expect(16 <= places <= 128, "places", places, "a whole number from 16 to 128")
        expect(0 <= first < places, "first", first, f"a position from 0 to {places - 1}")
        expect(0 <= second < places, "second", second, f"a position from 0 to {places - 1}")
        expect(1 < trained <= places, "trained", trained, f"a whole number from 2 to {places}")
        fits = len(query) == len(key) and len(key) % 2 == 0 and len(key) != 2
        expect(fits, "key", key, f"an even number of numbers, as many as the query has, {len(query)}")
        views = [*WIDTHS, *([ROPE] if len(key) else [])]
        expect(view in views, "view", view, f"one of {', '.join(views)}")
        trained_head = {"query": list(query), "key": list(key), "trained": trained} if len(key) else {}
        super().__init__(
            alt=(
                f"A table of colours with a column for each of {places} positions and a row for each number of their "
                "encodings: the upper rows change sign every few positions, the lower ones hardly at all. An orange "
                "and a blue handle choose two positions. Below it, clocks: each has an orange and a blue hand, and "
                "turns more slowly than the one before. Last, the product of the two encodings as a curve over their "
                "distance: largest at distance 0, the same on both sides, and falling in waves. When both positions "
                "move together all hands turn, and the product stays."
                + (
                    " In a second view the hands are those of a query and a key of a trained head, which RoPE turns in "
                    "the same way, and the curve is its score at every distance, those of its training shaded."
                    if len(key)
                    else ""
                )
            ),
            invite=(
                "Drag the blue position, the query, to the right. How far until a score is higher than at first?"
                if view == ROPE
                else "Drag the blue position away from the orange one. Which clock is the first to tell them apart?"
            ),
            data={"places": places, "first": first, "second": second, "view": view, "views": views, **trained_head},
        )
