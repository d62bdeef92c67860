"""A trained decoder-only Transformer to type to: where each head looks, what it expects next, and what it writes."""

import re
from collections.abc import Mapping

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class SelfAttentionHeads(LiveFigure):
    """The attention weights of every head on a text to type, and the next character drawn from the model.

    `weights` is the state dict of an `attend.transformers.tiny_transformer.TinyTransformer` with `num_heads` heads,
    which travels as int8; `alphabet` holds its characters in the order of its tokens; `text` is what stands there
    first. Raises ValueError for an alphabet that does not fit the weights and for a text of other characters.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], num_heads: int, alphabet: str, text: str):
        vocab_size, d_model = weights["token.weight"].shape
        expect(len(set(alphabet)) == len(alphabet) == vocab_size, "alphabet", alphabet, f"{vocab_size} characters")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        expect(len(text) > 0 and set(text) <= set(alphabet), "text", text, "characters of the alphabet")
        layers = 1 + max(int(n) for n in re.findall(r"blocks\.(\d+)\.norm1\.weight", " ".join(weights)))
        super().__init__(
            alt=(
                f"A text to type, character by character. Below it stand {layers} layers of {num_heads} rows each, one "
                "for each attention head: the stronger the purple behind a character, the more of its weight the head "
                "gives it when the chosen character asks. Some heads look one or two characters back. Underneath, bars "
                "show how probable the model takes each next character to be."
            ),
            invite="Choose a character: where does each head look from there? Then let the model write on.",
            data={"alphabet": alphabet, "text": text, "heads": num_heads, "layers": layers},
            tensors=dict(weights),
            precision="int8",
        )
