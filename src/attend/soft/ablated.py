"""Readers with something taken away, to see what a look can do alone: without the bridge, and without order.

Source   ours; the reader is that of attend.soft.read.
Departs  the writer starts from zeros in place of the last summary; Unordered also has no unit that reads.
Agrees   attend.soft.read.ReadingSeq2Seq where nothing is taken away (tests/soft/test_ablated.py).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Tokens
from attend.gating.bidirectional import lengths
from attend.soft.read import ReadingSeq2Seq
from attend.soft.seq2seq import Memory


class Unbridged(ReadingSeq2Seq):
    """The writer starts from nothing: all that it knows of the source it has looked up."""

    @checked
    def start(self, memory: Memory) -> Float[Tensor, "B H"]:
        """Zeros, whatever was read."""
        return torch.zeros_like(memory.last)


class Unordered(Unbridged):
    """What is read are the words' vectors alone, so D = H: no key knows where it stands, or what stands beside it."""

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        H: int,
        score: str = "bilinear",
        end: int = 0,
        places: int = 40,
        generator: torch.Generator | None = None,
    ):
        expect(H > 0, "H", H, "a positive whole number")
        super().__init__(source_V, target_V, H, H, score, end, places, generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Bool[Tensor, "B S"],
    ) -> Memory:
        """The words' vectors (B, S, H), and zeros for the last summary."""
        lengths(mask)
        words = self.embed_source(source)
        return Memory(words, mask, torch.zeros_like(words[:, 0]))
