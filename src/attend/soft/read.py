"""Attention as reading: weights that add up to one say how much of each summary goes into the context.

Source   Bahdanau et al. 2014, arXiv:1409.0473, eqs. 5-6 (weights and context); Luong et al. 2015, arXiv:1508.04025,
         eqs. 5-6 (the order of the steps); lecture sankaran2019part4 (location and content).
Departs  one reader and one writer, a layer each; any of the scores of attend.soft.scores.
Agrees   torch.nn.functional.scaled_dot_product_attention, masked or not, in values and gradients
         (tests/soft/test_read.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.soft.scores import SCORES, Score
from attend.soft.seq2seq import Answers, Memory, Seq2Seq


class Reading(NamedTuple):
    """What was read: the `context` (B, T, K) and the `weights` (B, T, S) that it was mixed with."""

    context: Float[Tensor, "B T K"]
    weights: Float[Tensor, "B T S"]


@checked
def weigh(
    scores: Float[Tensor, "B T S"],
    mask: Bool[Tensor, "B S"] | Bool[Tensor, "B T S"] | None = None,
) -> Float[Tensor, "B T S"]:
    """Weights from scores: a softmax over the places that are `mask`; the others have weight 0 exactly.

    Raises ValueError for a row that may look nowhere.
    """
    if mask is None:
        return scores.softmax(dim=2)
    somewhere = bool(mask.any(dim=-1).all())
    expect(
        somewhere,
        "mask",
        mask,
        "at least one visible place in every row",
    )
    hidden = ~(mask if mask.ndim == 3 else mask[:, None])
    return scores.masked_fill(hidden, -torch.inf).softmax(dim=2)


@checked
def read(
    scores: Float[Tensor, "B T S"],
    values: Float[Tensor, "B S K"],
    mask: Bool[Tensor, "B S"] | Bool[Tensor, "B T S"] | None = None,
) -> Reading:
    """The mean of the values, weighted by their scores. Where `mask` is False nothing is read."""
    weights = weigh(scores, mask)
    return Reading(weights @ values, weights)


class ReadingSeq2Seq(Seq2Seq):
    """A writer that looks back: each of its summaries scores all summaries of the source, and reads their mean.

    `score` names one of attend.soft.scores.SCORES; "location" can tell `places` places apart. The context and the
    writer's own summary together say what comes next: a = tanh(W_c [context; h]). Raises ValueError as Seq2Seq and
    Score do.
    """

    @checked
    def __init__(
        self,
        source_V: int,
        target_V: int,
        D: int,
        H: int,
        score: str = "bilinear",
        end: int = 0,
        places: int = 40,
        generator: torch.Generator | None = None,
    ):
        expect(score in SCORES, "score", score, f"one of {', '.join(SCORES)}")
        super().__init__(source_V, target_V, D, H, end, generator)
        self.score = Score(score, H, H, hidden=H, places=places, generator=generator)
        self.mix = linear_(nn.Linear(2 * H, H), generator)

    @checked
    def answer(
        self,
        summaries: Float[Tensor, "B T H"],
        memory: Memory,
    ) -> Answers:
        """What the writer's summaries say, each with what it read."""
        self._fits(summaries)
        scores = self.score(summaries, memory.summaries)
        context, weights = read(scores, memory.summaries, memory.mask)
        mixed = torch.tanh(self.mix(torch.cat([context, summaries], dim=2)))
        return Answers(self.readout(mixed), weights)
