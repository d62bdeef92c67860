"""A learned counter: a recurrent layer, and after every step a probability for each count.

Source   The learned counter of lecture sankaran2019part5, which shows its predictions and its features.
Departs  any of the course's recurrent layers will do; the count is chosen among 0 … V-1 by a softmax, at every step.
Agrees   torch.nn.RNN, GRU and LSTM with a torch.nn.Linear, in values and gradients (tests/gating/test_counter.py).
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.init import linear_
from attend.core.types import Plural
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN


class LearnedCounter(nn.Module):
    """A recurrent layer that reads numbers one by one, and a softmax over the counts 0 … V-1 after each of them.

    `rnn` is an RNN, GRU or LSTM of input size 1. Raises ValueError for a layer of
    another input size and for fewer than two counts.
    """

    @checked
    def __init__(self, rnn: RNN | GRU | LSTM, V: Plural, generator: torch.Generator | None = None):
        expect(rnn.input_size == 1, "rnn", rnn, "a recurrent layer of input size 1")
        super().__init__()
        self.rnn = rnn
        self.readout = linear_(nn.Linear(rnn.hidden_size, V), generator)

    @checked
    def forward(self, x: Float[Tensor, "B T 1"]) -> tuple[Float[Tensor, "B T V"], Float[Tensor, "B T H"]]:
        """The logits of all counts after each step, and the hidden states."""
        hidden, _ = self.rnn(x)
        return self.readout(hidden), hidden

    @checked
    @torch.no_grad()
    def count(self, x: Float[Tensor, "B T 1"]) -> Int[Tensor, "B T"]:
        """The likeliest count after each step."""
        logits, _ = self(x)
        return logits.argmax(dim=-1)


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
