"""A counter that is taught: a recurrent unit, and after every step a probability for each count.

Source   The learned counter of lecture sankaran2019part5, which shows its predictions and its features.
Departs  any of the course's units will do; the count is chosen among 0 … V-1 by a softmax, at every step.
Agrees   torch.nn.RNN, GRU and LSTM with a torch.nn.Linear, in values and gradients (tests/gating/test_counter.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import Elman
from attend.memory.supervision import Readout


class Counted(NamedTuple):
    """What a counter says: `logits` (B, T, V), one score a count after each step, and its `summaries` (B, T, H)."""

    logits: Float[Tensor, "B T V"]
    summaries: Float[Tensor, "B T H"]


class LearnedCounter(nn.Module):
    """A unit that reads numbers one by one, and a readout of its summary: softmax(R h_t + c) over the counts 0 … V-1.

    `unit` is an Elman, GRU or LSTM of input width 1. Nothing in it knows of an interval. Raises ValueError for a unit
    of another width and for fewer than two counts.
    """

    @checked
    def __init__(self, unit: Elman | GRU | LSTM, V: int, generator: torch.Generator | None = None):
        expect(unit.D == 1, "unit", unit, "a unit of input width D = 1")
        expect(V > 1, "V", V, "a whole number above 1")
        super().__init__()
        self.unit = unit
        self.readout = Readout(unit.H, V, generator)

    @checked
    def forward(self, x: Float[Tensor, "B T 1"]) -> Counted:
        """Scores for all counts after each step, and the summaries."""
        summaries, _ = self.unit.sequence(x)
        return Counted(self.readout(summaries), summaries)

    @checked
    @torch.no_grad()
    def count(self, x: Float[Tensor, "B T 1"]) -> Int[Tensor, "B T"]:
        """The likeliest count after each step."""
        return self(x).logits.argmax(-1)


@checked
def auc(feature: Float[Tensor, "N H"], label: Bool[Tensor, "N"]) -> Float[Tensor, "H"]:
    """How well each column of `feature` tells the labelled rows from the others, by one threshold of either direction.

    The chance that a labelled row has the higher value than another row, ties counted half (Mann & Whitney 1947), or
    the lower one if that is likelier: 1/2 for a column that knows nothing, 1 for one that tells them apart without a
    mistake. Raises ValueError when all labels are the same.
    """
    positive = int(label.sum())
    expect(0 < positive < len(label), "label", label, "labels of both kinds")
    ranks = torch.stack([_ranks(column) for column in feature.double().unbind(1)], dim=1)
    wins = ranks[label].sum(0) - positive * (positive + 1) / 2
    area = wins / (positive * (len(label) - positive))
    return torch.maximum(area, 1 - area).to(feature.dtype)


def _ranks(values: Tensor) -> Tensor:
    """The places 1 … N of the values in ascending order; equal values share the mean of their places."""
    _, same, many = values.unique(return_inverse=True, return_counts=True)
    last = many.cumsum(0).to(values.dtype)
    return (last - (many - 1) / 2)[same]
