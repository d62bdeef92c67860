"""Two trained readers of the same number, one that looks by content and one that looks by location."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.bilingual import bilingual
from attend.live.figure import LiveFigure

MOST = 999_999
"""The largest number: the readers were taught up to six digits."""


class ContentOrLocation(LiveFigure):
    """English words on the left, the German pieces that a reader writes on the right, and where it looked for each.

    `content` and `location` are the tensors of two trained attend.soft.read.ReadingSeq2Seq, by their names in the
    state, one with the score "bilinear", one with "location"; they travel as int8. `english` and `german` are
    their vocabularies, `end` their last token, `number` what stands there at first. Raises ValueError for tensors of
    other vocabularies or another score, and for a number of more than six digits.
    """

    @checked
    def __init__(
        self,
        content: Mapping[str, Tensor],
        location: Mapping[str, Tensor],
        english: Sequence[str],
        german: Sequence[str],
        number: int = 342,
        end: int = 0,
    ):
        for name, tensors, part in (("content", content, "M"), ("location", location, "b")):
            expect(f"score.weights.{part}" in tensors, name, sorted(tensors), f"tensors with score.weights.{part}")
            for side, words in (("source", english), ("target", german)):
                rows = len(tensors.get(f"embed_{side}.weight", ()))
                expect(rows == len(words), name, f"{rows} {side} rows", f"a row for each of {len(words)} words")
        data = bilingual(english, german, number, end, MOST)
        super().__init__(
            alt=(
                "English words of a number in a column on the left, the German pieces that a trained model writes in a "
                "column on the right, and lines from the pieces to the words, those of the chosen piece as thick as "
                "their weights. Bars beside the words show the same weights. The reader that looks by content has "
                "nearly all weight on one word or two; where German says two before forty, the lines cross. The "
                "reader that looks by location spreads its weight over neighbouring places."
            ),
            invite="Move along the German pieces. Where do the lines cross, and what if the look goes by location?",
            data=data | {"most": MOST},
            tensors={f"content/{name}": tensor for name, tensor in content.items()}
            | {f"location/{name}": tensor for name, tensor in location.items()},
            precision="int8",
        )
