"""Attention with something taken away: without the encoder's last state, and without any order in what is read.

Source   ours; the model is that of attend.soft.read.
Departs  the decoder starts from zeros in place of the encoder's last state; WordsOnly has no recurrent encoder either.
Agrees   attend.soft.read.AttentionSeq2Seq where nothing is taken away (tests/soft/test_ablated.py).
"""

from typing import Annotated

import torch
from torch import Tensor

from attend.core.expect import checked
from attend.core.types import Below, Lengths, Plural, Positive, Tokens
from attend.soft.read import AttentionSeq2Seq
from attend.soft.scores import Name
from attend.soft.seq2seq import Memory


class AttentionOnly(AttentionSeq2Seq):
    """The decoder starts from zeros: all that it knows of the source comes through attention."""

    def start(self, memory: Memory) -> Tensor:
        """Zeros (B, H), whatever was read."""
        return torch.zeros_like(memory.last)


class WordsOnly(AttentionOnly):
    """Keys and values are the embeddings themselves: no key knows its position or its neighbours."""

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        hidden_size: Positive,
        score: Name = "bilinear",
        end: Annotated[int, Below("target_vocab")] = 0,
        max_length: Positive = 40,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, hidden_size, hidden_size, score, end, max_length, generator)

    @checked
    def read(
        self,
        source: Tokens["B S", "self.embed_source.num_embeddings"],
        mask: Lengths["B S"],
    ) -> Memory:
        """The words' embeddings (B, S, H), and zeros for the last state."""
        words = self.embed_source(source)
        return Memory(words, mask, torch.zeros_like(words[:, 0]))
