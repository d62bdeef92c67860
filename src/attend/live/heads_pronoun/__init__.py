"""Every head of a trained Transformer of attention alone on one sentence: where it looks, and what it is worth."""

import re
from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class HeadsPronoun(LiveFigure):
    """The attention weights of every head on a sentence to type, heads to switch off, and what the model answers.

    `weights` is the state dict of an `attend.transformers.attention_only.AttentionOnly` with `num_heads` heads whose
    `words` are its vocabulary; the first `answers` of them are what it may answer, at the word `asks`. `sentence` is
    what stands there first. Raises ValueError for words that do not fit the weights, and for a sentence of other words.
    """

    @checked
    def __init__(
        self,
        weights: Mapping[str, Tensor],
        num_heads: int,
        words: Sequence[str],
        answers: int,
        asks: str,
        sentence: str,
    ):
        vocab_size, d_model = weights["token.weight"].shape
        expect(len(set(words)) == len(words) == vocab_size, "words", words, f"{vocab_size} different words")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        expect(0 < answers <= vocab_size, "answers", answers, f"a number of words from 1 to {vocab_size}")
        expect(asks in words, "asks", asks, "one of the words")
        fits = set(sentence.split()) <= set(words) and 0 < len(sentence.split()) <= len(weights["position.weight"])
        expect(fits and asks in sentence.split(), "sentence", sentence, f"a sentence of known words with {asks!r}")
        layers = 1 + max(int(n) for n in re.findall(r"layers\.(\d+)\.q_proj\.weight", " ".join(weights)))
        super().__init__(
            alt=(
                f"A sentence to type, word by word. Below it stand {layers} layers of {num_heads} rows, one for each "
                "attention head, with a switch that cuts the head: the stronger the purple behind a word, the more of "
                "its weight the head gives it when the chosen word asks. Underneath, bars show which animal the model "
                f"takes “{asks}” to stand for."
            ),
            invite="Change the last word of the sentence. Then cut heads until the model no longer knows.",
            data={
                "words": list(words),
                "answers": answers,
                "asks": asks,
                "sentence": sentence,
                "heads": num_heads,
                "layers": layers,
            },
            tensors=dict(weights),
            precision="float16",
        )
