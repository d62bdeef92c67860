"""A number to type, the translation that a trained model writes in the browser, and its attention for each token."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked
from attend.live.bilingual import bilingual, vocabularies
from attend.live.figure import LiveFigure


class Alignment(LiveFigure):
    """English words of a number, German tokens below; at each token the words shine by the weight they have.

    `tensors` are those of a trained attend.soft.translation.Translator, by their names in its state; they travel as
    int8. `english` and `german` are its vocabularies, `end` its last token, `number` what stands there at first.
    Raises ValueError for tensors of other vocabularies and for a number of more than 15 digits.
    """

    @checked
    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        english: Sequence[str],
        german: Sequence[str],
        number: int = 64_238,
        end: int = 0,
    ):
        vocabularies(tensors, english, german)
        data = bilingual(english, german, number, end)
        super().__init__(
            alt=(
                "A number in English words and, below, the German tokens that the trained model writes, with a table "
                "of attention weights. At 64,238 the first token, vier, attends to four, the second word; sech goes "
                "back to sixty, the first. Each digit's token has nearly all its weight on one word; tokens like "
                "hundert, which follow from what was written, have theirs anywhere."
            ),
            invite="Type a number and move along its German tokens. Where did the model look, and where need it not?",
            data=data,
            tensors=tensors,
            precision="int8",
        )
