"""Sentences as curves: the decoder points at a location in the space of word embeddings; near words are likely.

Source   lectures sankaran2019part5 and sankaran2019part4 (two sentences are two curves; error as distance).
Departs  a word's logit is minus its squared distance, so that pointing can be trained like any output layer.
Agrees   a softmax over torch.cdist, in values and gradients (tests/soft/test_nearest.py).
"""

from typing import Annotated

import torch
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import linear_
from attend.core.types import Below, Plural, Positive
from attend.soft.seq2seq import Memory, Outputs, Seq2Seq


class NearestSeq2Seq(Seq2Seq):
    """A Seq2Seq whose readout is a point in the target's embedding space; the nearer a word, the likelier it is.

    The embeddings of the target are the same points for input and output. With `embedding_size` 2 both languages are
    planes that can be drawn.
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        end: Annotated[int, Below("target_vocab")] = 0,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.readout = linear_(nn.Linear(hidden_size, embedding_size), generator)
        with torch.no_grad():
            self.readout.weight *= 3  # at initialisation the points lie about as far out as words do

    def predict(self, hidden: Tensor, memory: Memory) -> Outputs:
        """Logits: minus the squared distance of each word from the point (B, T, D) that a hidden state reads out."""
        points = self.readout(hidden)
        offsets = points[:, :, None] - self.embed_target.weight  # (B, T, V, D)
        return Outputs(-offsets.square().sum(3), None)
