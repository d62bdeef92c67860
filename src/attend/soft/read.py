"""Soft attention: a query is compared with all keys, and reads the mean of their values, weighted by the softmax.

Source   Bahdanau et al. 2014, arXiv:1409.0473, eqs. 5-6 (weights and context); Luong et al. 2015, arXiv:1508.04025,
         eqs. 5-6 (the order of the steps); lecture sankaran2019part4 (location and content).
Departs  one layer for encoder and decoder each; any of the scores of attend.soft.scores.
Agrees   torch.nn.functional.scaled_dot_product_attention, masked or not, in values and gradients
         (tests/soft/test_read.py).
"""

from typing import Annotated, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.init import linear_
from attend.core.types import Below, Mask, Plural, Positive
from attend.soft.scores import Name, Score
from attend.soft.seq2seq import Memory, Outputs, Seq2Seq


class Reading(NamedTuple):
    """The `context` vectors (B, T, K), and the attention `weights` (B, T, S) that mixed them."""

    context: Float[Tensor, "B T K"]
    weights: Float[Tensor, "B T S"]


@checked
def attention_weights(
    scores: Float[Tensor, "B T S"],
    mask: Mask["B S"] | Mask["B T S"] | None = None,
) -> Float[Tensor, "B T S"]:
    """A softmax over the S positions; where `mask` is False the weight is 0 exactly."""
    if mask is not None:
        mask = mask if mask.ndim == 3 else mask[:, None]  # (B, T or 1, S)
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=2)


@checked
def read(
    scores: Float[Tensor, "B T S"],
    values: Float[Tensor, "B S K"],
    mask: Mask["B S"] | Mask["B T S"] | None = None,
) -> Reading:
    """The context vectors: means of the values, weighted by the softmax of their scores."""
    weights = attention_weights(scores, mask)
    return Reading(weights @ values, weights)


class SoftAttention(nn.Module):
    """Attention whose queries and keys are projected before they are compared, by a dot product.

    Raises ValueError for a row of `mask` that lets nothing through.
    """

    @checked
    def __init__(self, query_size: Positive, key_size: Positive, width: Positive):
        super().__init__()
        self.query_proj = nn.Linear(query_size, width, bias=False)
        self.key_proj = nn.Linear(key_size, width, bias=False)

    @checked
    def forward(
        self,
        query: Float[Tensor, "B T {self.query_proj.in_features}"],
        key: Float[Tensor, "B S {self.key_proj.in_features}"],
        value: Float[Tensor, "B S K"],
        mask: Mask["B S"] | Mask["B T S"] | None = None,
    ) -> Reading:
        """The context vectors of T queries, and the weights that each of them gives to the S keys."""
        scores = self.query_proj(query) @ self.key_proj(key).mT  # (B, T, S)
        return read(scores, value, mask)


class AttentionSeq2Seq(Seq2Seq):
    """An encoder-decoder with Luong's attention: each decoder state queries all encoder states.

    `score` names one of attend.soft.scores; "location" knows `max_length` positions. Context and decoder state predict
    the next token together, through tanh(W_c [context; h]).
    """

    @checked
    def __init__(
        self,
        source_vocab: Plural,
        target_vocab: Plural,
        embedding_size: Positive,
        hidden_size: Positive,
        score: Name = "bilinear",
        end: Annotated[int, Below("target_vocab")] = 0,
        max_length: Positive = 40,
        generator: torch.Generator | None = None,
    ):
        super().__init__(source_vocab, target_vocab, embedding_size, hidden_size, end, generator)
        self.score = Score(score, hidden_size, hidden_size, hidden_size, max_length, generator)
        self.combine = linear_(nn.Linear(2 * hidden_size, hidden_size), generator)

    def predict(self, hidden: Tensor, memory: Memory) -> Outputs:
        """Logits from the decoder's hidden states (B, T, H), each with its context vector; and the weights."""
        scores = self.score(hidden, memory.hidden)
        context, weights = read(scores, memory.hidden, memory.mask)
        combined = torch.tanh(self.combine(torch.cat([context, hidden], dim=2)))
        return Outputs(self.readout(combined), weights)
