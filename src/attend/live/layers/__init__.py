"""A number to type, the Transformer that translates it in the browser, and every head of it to look at."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure
from attend.live.rounding import rounded

PLACES = ("encoder", "decoder", "between")


class Layers(LiveFigure):
    """English words of a number, German pieces below, and a table of weights for each head of each layer.

    `tensors` are those of a trained attend.transformers.translator.Transformer with K heads, normalised before each
    part, with sinusoids, by their names in its state; they travel as int8, in `levels` steps a row and sign. `english`
    and `german` are its vocabularies, `end` its last token; `number`, `place` (one of PLACES), `layer` and `head`
    (counted from 1) are what stands there at first. Raises ValueError for tensors of other vocabularies, for heads that
    are not there, and for a number of more than 15 digits.
    """

    @checked
    def __init__(
        self,
        tensors: Mapping[str, Tensor],
        english: Sequence[str],
        german: Sequence[str],
        K: int = 4,
        number: int = 64_238,
        place: str = "between",
        layer: int = 2,
        head: int = 1,
        end: int = 0,
        levels: int = 127,
    ):
        for name, words, rows in (("english", english, "embed_source.rows"), ("german", german, "embed_target.rows")):
            V = len(tensors.get(rows, ()))
            expect(len(words) == V, name, f"{len(words)} words", f"{V} words, one for each row of {rows}")
        N = sum(name.endswith("across.query.weights") for name in tensors)
        expect(0 <= number < 10**15, "number", number, "a whole number from 0 to 999,999,999,999,999")
        expect(place in PLACES, "place", place, f"one of {', '.join(PLACES)}")
        expect(0 < layer <= N, "layer", layer, f"a layer from 1 to {N}")
        expect(K > 0 and tensors["embed_source.rows"].shape[1] % K == 0, "K", K, "a number of heads that divides D")
        expect(0 < head <= K, "head", head, f"a head from 1 to {K}")
        expect(0 <= end < len(german), "end", end, "a token of `german`")
        super().__init__(
            alt=(
                "A number in English words and, below, the German pieces that the trained Transformer writes. A small "
                "table of weights for each of its heads, in two rows of layers, and the chosen one in large, for the "
                "encoder, the decoder or between them. At 64,238, between the two, one head of the second layer looks "
                "from the first piece, vier, to four, the second word, and then back to sixty, the first."
            ),
            invite="Type a number and choose a head. Which of them look at the word that is said next?",
            data={
                "english": list(english),
                "german": list(german),
                "K": K,
                "N": N,
                "number": number,
                "place": place,
                "layer": layer - 1,
                "head": head - 1,
                "end": end,
            },
            tensors={name: rounded(of, levels) if of.ndim > 1 else of for name, of in tensors.items()},
            precision="int8",
        )
