"""A trained Neural Turing Machine step by step: its slots, its two heads, and the four steps of an address."""

from typing import Annotated

from torch import nn

from attend.core.expect import checked, expect
from attend.core.types import Rule
from attend.live.figure import LiveFigure

Slots = Annotated[int, Rule("a whole number from 3 to 64", lambda value: 3 <= value <= 64)]


class Tape(LiveFigure):
    """A copier of digits whose row a reader types, plays, and disturbs.

    It starts with the digits `number`, on a tape of so many `slots`. Raises ValueError for a model that does not copy
    digits (11 inputs and 11 outputs), and for a number that is empty or holds something else.
    """

    @checked
    def __init__(self, model: nn.Module, number: str = "31415926535897932384", slots: Slots = 32):
        sizes = getattr(model, "inputs", None), getattr(getattr(model, "out", None), "out_features", None)
        expect(sizes == (11, 11), "model", model, "a Neural Turing Machine with 11 inputs and 11 outputs")
        fits = 0 < len(number) <= 60 and set(number) <= set("0123456789")
        expect(fits, "number", number, "1 to 60 digits")
        super().__init__(
            alt=(
                "A tape of slots, each a column of coloured cells. One marker shows where the writing head stands, "
                "another the reading head. Below, four rows of bars are the weights of one head after content, "
                "interpolation, shift and sharpening. Digits are typed, then written slot by slot and read back; the "
                "reading head can be dragged elsewhere, and the sharpening switched off."
            ),
            invite="Press Play, or type a number of your own. Then drag the read head somewhere else.",
            data={"number": number, "slots": slots},
            tensors=dict(model.state_dict()),
            precision="float16",
        )
