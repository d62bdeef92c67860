"""A learned counter: stacked recurrent layers, and a head that reads the count from the top one after every step.

Source   The learned counter of lecture sankaran2019part5, which shows its predictions and the rows of its layers;
         stacked layers as in Graves 2013, arXiv:1303.5778, without the connections that skip layers.
Departs  entrances into the interval are counted; the read-out is a softmax over counts or one number.
Agrees   torch.nn.RNN, GRU and LSTM with `num_layers`, in values and gradients (tests/gating/test_counter.py).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN


class Stacked(nn.Module):
    """Recurrent layers on top of each other: the hidden states of one are the inputs of the next.

    `layer` is RNN, GRU or LSTM. Input (B, T, input_size). Output: the hidden states of every layer, lowest first, each
    (B, T, hidden_size), and the last state of every layer, from which a later call can read on.
    """

    @checked
    def __init__(
        self, layer: type[RNN | GRU | LSTM], input_size: Positive, hidden_size: Positive, num_layers: Positive
    ):
        super().__init__()
        sizes = [input_size] + [hidden_size] * (num_layers - 1)
        self.layers = nn.ModuleList(layer(size, hidden_size) for size in sizes)
        self.input_size, self.hidden_size = input_size, hidden_size

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], states: Sequence | None = None
    ) -> tuple[list[Tensor], list]:
        """All time steps of the lowest layer, then all of the next, and so on."""
        expect(states is None or len(states) == len(self.layers), "states", states, "one state for each layer")
        states = states or [None] * len(self.layers)
        hidden, last = [], []
        for layer, state in zip(self.layers, states, strict=True):
            x, state = layer(x, state)  # from here x is this layer's states, (B, T, H)
            hidden.append(x)
            last.append(state)
        return hidden, last


class LearnedCounter(nn.Module):
    """A count after every step, read from the top of stacked recurrent layers by a linear head.

    With one output the head is a scalar read-out, trained to say the count itself; with V outputs they are the logits
    of the counts 0 … V-1, for a softmax.
    """

    @checked
    def __init__(self, stack: Stacked, outputs: Positive = 1):
        super().__init__()
        self.stack = stack
        self.head = nn.Linear(stack.hidden_size, outputs)

    @checked
    def forward(self, x: Float[Tensor, "B T D"]) -> tuple[Float[Tensor, "B T V"], list[Tensor]]:
        """The outputs after each step, and the hidden states of each layer, lowest first, each (B, T, H)."""
        hidden, _ = self.stack(x)
        return self.head(hidden[-1]), hidden

    @checked
    @torch.no_grad()
    def count(self, x: Float[Tensor, "B T D"]) -> Int[Tensor, "B T"]:
        """The count after each step: the nearest whole number, or the likeliest one."""
        outputs, _ = self(x)
        return outputs.squeeze(2).round().long() if outputs.shape[2] == 1 else outputs.argmax(dim=2)
