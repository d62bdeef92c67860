"""What an output can depend on: the inputs behind one position of a layer, for one to three layers of five kinds."""

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

KINDS = ("dense", "convolution", "recurrence", "attention", "causal")


class PriorsFigure(LiveFigure):
    """Rows of `T` positions, one for the inputs and one for each layer; a reader chooses kind, layers and an output.

    `kind` is one of KINDS, of which "causal" is attention that looks back only; `layers` is 1, 2 or 3; `position` is
    from 0 to T - 1. Raises ValueError for others.
    """

    @checked
    def __init__(self, kind: str = "convolution", layers: int = 2, position: int = 8, T: int = 12):
        expect(kind in KINDS, "kind", kind, f"one of {', '.join(KINDS)}")
        expect(layers in (1, 2, 3), "layers", layers, "1, 2 or 3")
        expect(4 <= T <= 16, "T", T, "a whole number from 4 to 16")
        expect(0 <= position < T, "position", position, f"a position from 0 to {T - 1}")
        super().__init__(
            alt=f"A row of {T} circles for the inputs and above it a row for each of up to three layers. From one "
            "circle of the top row, which the reader chooses, lines lead down to all circles that it depends on. With "
            "two convolutions of three neighbours it sees five inputs around its own position; with a recurrence all "
            "inputs up to its own, in as many steps as they lie back; with attention all inputs, in two steps.",
            invite="Click a circle in the top row. How many convolutions would the last one need to see the first?",
            data={"kind": kind, "layers": layers, "position": position, "T": T, "kinds": list(KINDS)},
        )
