"""A word that is written stroke by stroke, while the window moves over its letters."""

from collections.abc import Mapping

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LONGEST = 12
NAMES = ("lstm.weight_ih", "lstm.weight_hh", "lstm.bias_ih", "lstm.bias_hh")
"""The parameters of an LSTM cell, as they travel."""


class Handwriting(LiveFigure):
    """Type a word, choose how neat, and see pen and window go.

    `weights` is the state dict of an `attend.soft.window.Handwriter`; `alphabet` holds its tokens, END first; `word`
    stands there first. Raises ValueError for an alphabet that does not fit, and for a word of other letters or of more
    than 12.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], alphabet: str, word: str):
        size = weights["lstm.weight_ih"].shape[1] - 3
        expect(len(set(alphabet)) == len(alphabet) == size, "alphabet", alphabet, f"{size} characters")
        fits = 0 < len(word) <= LONGEST and set(word) <= set(alphabet[1:])
        expect(fits, "word", word, f"1 to {LONGEST} letters of the alphabet")
        others = ("window.linear.weight", "window.linear.bias", "output.weight", "output.bias")
        super().__init__(
            alt=(
                "The letters of a word in a row, a bar over each for its weight and three small triangles under them "
                "for the centres of the window. Below, the word in joined-up handwriting; the part that is written "
                "for the letter under the window is coloured. A slider moves through the steps of the pen."
            ),
            invite="Press Write, then drag the pen step back: which letter was each part of the line written for?",
            data={"alphabet": alphabet, "word": word, "longest": LONGEST},
            tensors={name: weights[name] for name in (*NAMES, *others)},
            precision="int8",
        )
