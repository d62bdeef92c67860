"""Self-attention in numbers: a few words, their queries, keys and values, and all that follows, to edit anywhere."""

from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class SelfAttentionByHand(LiveFigure):
    """Two to four words of two numbers each: every step of self-attention, and what moves when a number does.

    `x` are the words' vectors; `query`, `key` and `value` map them, as (out, in), as in
    `attend.transformers.self_attention`. All numbers run from -2 to 2. `asks` is the place of the word whose working
    is spelled out at first. Raises ValueError for other numbers, for as many words as `x` has not, and for a word that
    is empty, long, or there twice.
    """

    @checked
    def __init__(
        self,
        words: list[str],
        x: Float[Tensor, "T 2"],
        query: Float[Tensor, "2 2"],
        key: Float[Tensor, "2 2"],
        value: Float[Tensor, "2 2"],
        asks: int = 0,
    ):
        T = len(x)
        expect(2 <= T <= 4, "x", x, "two to four words")
        for name, numbers in {"x": x, "query": query, "key": key, "value": value}.items():
            expect(bool((numbers.abs() <= 2).all()), name, numbers, "numbers from -2 to 2")
        short = all(0 < len(word) <= 6 for word in words)
        expect(len(words) == len(set(words)) == T and short, "words", words, f"{T} different words of 1 to 6 letters")
        expect(0 <= asks < T, "asks", asks, f"a place from 0 to {T - 1}")
        named = {"x": x, "query": query, "key": key, "value": value}
        super().__init__(
            alt=(
                f"Self-attention among {T} words, {', '.join(words)}, with every number on the way. A plane shows the "
                "words as orange points to be dragged, with a purple disc around each, the larger, the more the asking "
                "word looks at it, and blue diamonds where the summaries are. Below stand, word by word, the vectors, "
                "queries, keys and values, each map with its four numbers, then the tables of products, products over "
                "the square root of 2, and weights, and last the summaries. What moved since the last edit is "
                "underlined in orange. A step at a time, the working of the asking word is spelled out."
            ),
            invite=f"Drag {words[0]}, or its numbers: what moves is underlined. Then go through it step by step.",
            data={
                "words": list(words),
                "asks": asks,
                **{name: [[round(v, 1) for v in row] for row in numbers.tolist()] for name, numbers in named.items()},
            },
        )
