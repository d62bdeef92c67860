"""Write with a trained GPT, token by token: what it expects, what the dials leave of that, and where its heads look."""

import re
from collections.abc import Mapping, Sequence

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure


class WriteWithGPT(LiveFigure):
    """The next token of a text to type, before and after temperature, top-k and top-p, and every head's attention.

    `weights` is the state dict of an `attend.transformers.gpt.GPT` with `num_heads` heads, which travels as int8, and
    reads at most `context` tokens. `vocab` holds its byte pairs in order, the 256 bytes first; one more token ends a
    text. `text` stands there first. Raises ValueError for a vocabulary that does not fit the weights, and for an empty
    text.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], num_heads: int, context: int, vocab: Sequence[bytes], text: str):
        vocab_size, d_model = weights["token.weight"].shape
        expect(len(set(vocab)) == len(vocab) == vocab_size - 1, "vocab", len(vocab), f"{vocab_size - 1} byte pairs")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        expect(context > 0, "context", context, "a positive whole number")
        expect(0 < len(text) <= 200, "text", text, "1 to 200 characters")
        layers = 1 + max(int(n) for n in re.findall(r"blocks\.(\d+)\.norm1\.weight", " ".join(weights)))
        super().__init__(
            alt=(
                "A text, cut into tokens. The stronger the purple behind a token, the more of its attention the chosen "
                "head gives it when the underlined token asks. Below, ten bars show how probable the model takes each "
                "next token to be, as an outline, and what temperature, top-k and top-p leave of it, filled. A press "
                "on a bar writes its token; a button draws one."
            ),
            invite="Draw a token, or press on one to write it. Then turn the dials.",
            data={
                "vocab": [part.decode("latin-1") for part in vocab],
                "text": text,
                "heads": num_heads,
                "layers": layers,
                "context": context,
            },
            tensors=dict(weights),
            precision="int8",
        )
