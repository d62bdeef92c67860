"""Hide any word of a pair of sentences, and see what a trained BERT puts there, and where it looks."""

from collections.abc import Mapping

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

SPECIAL = ("[PAD]", "[CLS]", "[SEP]", "[MASK]")


class MaskedWords(LiveFigure):
    """Words to hide by a press, the model's guesses for one of them, and the attention with which it reads the others.

    `weights` is the state dict of an `attend.transformers.bert.Bert` with `num_heads` heads; `vocabulary` holds its
    tokens in their order, after the special ones; `texts` are pairs of sentences to begin with, the two divided by
    " | ", and hidden words written as [MASK]. Raises ValueError for a vocabulary that does not fit the weights, and for
    texts of other words, of other than two sentences, or longer than the model reads.
    """

    @checked
    def __init__(
        self, weights: Mapping[str, Tensor], num_heads: int, vocabulary: tuple[str, ...], texts: tuple[str, ...]
    ):
        vocab_size, d_model = weights["token.weight"].shape
        fits = len(set(vocabulary)) == len(vocabulary) == vocab_size and vocabulary[:4] == SPECIAL
        expect(fits, "vocabulary", len(vocabulary), f"{vocab_size} different tokens, the special ones first")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        context, known = len(weights["position.weight"]), {*vocabulary[3:], "|"}
        expect(len(texts) > 0, "texts", texts, "at least one pair of sentences")
        for text in texts:
            words = text.split()
            right = words.count("|") == 1 and set(words) <= known and len(words) + 2 <= context
            expect(right, "texts", text, f"two sentences, divided by |, of at most {context - 2} known words")
        super().__init__(
            alt=(
                "Two sentences, a button for each word; a press hides the word or shows it again. Below, for the "
                "hidden word that is asked for, the eight words that the model thinks most likely, with bars, and a "
                "shade behind each word of the sentences that says how much attention one head pays to it."
            ),
            invite="Press a word to hide it, and see what the model puts in its place.",
            data={
                "vocabulary": list(vocabulary),
                "texts": list(texts),
                "heads": num_heads,
                "layers": len({name.split(".")[1] for name in weights if name.startswith("blocks.")}),
                "context": context,
            },
            tensors=dict(weights),
            precision="float16",
        )
