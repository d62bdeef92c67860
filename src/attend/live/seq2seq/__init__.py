"""Two languages as two planes: a number as a curve in one, and what a trained decoder makes of it in the other."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.bilingual import bilingual, vocabularies
from attend.live.figure import LiveFigure


class EmbeddingPlanes(LiveFigure):
    """The English words of a number, the German ones, and where the decoder points at each step, reading either.

    `tensors` are those of a trained attend.soft.nearest.NearestSeq2Seq with D = 2, by their names in its state; they
    travel as int8. `english` and `german` are its vocabularies, `end` its last token, `number` what stands there at
    first. Raises ValueError for tensors of other vocabularies or more than two dimensions, and for a number of more
    than six digits.
    """

    @checked
    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        english: Sequence[str],
        german: Sequence[str],
        number: int = 2_863,
        end: int = 0,
    ):
        vocabularies(tensors, english, german)
        data = bilingual(english, german, number, end, most=999_999)
        for rows in ("embed_source.weight", "embed_target.weight"):
            points = tensors[rows]
            expect(points.shape[1:] == (2,), "tensors", points, f"words in a plane, {rows} of shape (V, 2)")
        super().__init__(
            alt=(
                "Two planes full of words, English and German. In the first a line leads through the words of 2,863. "
                "In the second a dark line leads through the right German tokens, and a blue one through the places "
                "at which the decoder points; short strokes join the two, step by step, and their length is the error. "
                "For four tokens they run together. Then the decoder says six for three, and goes on to write 36 in "
                "place of 63. When it is given the true tokens, it makes that one mistake and comes back."
            ),
            invite="Step along the German tokens. Where do the curves part? Then let the decoder read the true ones.",
            data=data,
            tensors=tensors,
            precision="int8",
        )
