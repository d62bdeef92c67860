"""Attention block by block: one query of a trained model, and what it knows after each block of keys."""

from collections.abc import Mapping

from torch import Tensor

from attend.core.expect import checked, expect
from attend.live.figure import LiveFigure

LONGEST = 32


class AttentionByBlocks(LiveFigure):
    """The softmax of one query over the keys of a text, read in blocks, with a running maximum, sum and output.

    `weights` is the state dict of an `attend.transformers.modern.ModernTransformer` with `num_heads` heads, of which
    the attention of the first block travels; `alphabet` holds its characters in the order of its tokens; `text` is
    what stands there first, and its last character asks. Raises ValueError for an alphabet that does not fit the
    weights, and for a text of other characters or of more than 32.
    """

    @checked
    def __init__(self, weights: Mapping[str, Tensor], num_heads: int, alphabet: str, text: str):
        vocab_size, d_model = weights["token.weight"].shape
        expect(len(set(alphabet)) == len(alphabet) == vocab_size, "alphabet", alphabet, f"{vocab_size} characters")
        expect(num_heads > 0 and d_model % num_heads == 0, "num_heads", num_heads, f"a divisor of {d_model}")
        fits = 1 < len(text) <= LONGEST and set(text) <= set(alphabet)
        expect(fits, "text", text, f"2 to {LONGEST} characters of the alphabet")
        names = ("norm1.gain", *(f"self_attn.{part}_proj.weight" for part in "qkv"))
        super().__init__(
            alt=(
                "A text; a bar over each character is the score that the last character's query gives it. A line to "
                "drag says how far the keys have been read, block by block. A step over the bars is the running "
                "maximum. Below it sixteen bars, the output so far, grow into sixteen outlines, the exact output, and "
                "a table says by what each block has scaled the earlier ones."
            ),
            invite="Drag the line to the right, block by block, until the output fills its outlines.",
            data={"alphabet": alphabet, "text": text, "heads": num_heads, "longest": LONGEST},
            tensors={
                "token.weight": weights["token.weight"],
                **{name: weights[f"blocks.0.{name}"] for name in names},
            },
            precision="float16",
        )
