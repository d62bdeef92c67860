"""The LSTM with one part changed: a gate taken away, two gates coupled, gates that see the cell.

Source   Greff, Srivastava, Koutník, Steunebrink & Schmidhuber 2017, LSTM: A search space odyssey; peepholes of Gers &
         Schmidhuber 2000, Recurrent nets that time and count.
Departs  the LSTM that is changed has no peepholes; Greff et al. took them away from one that has.
Agrees   a gate held at 1 by its bias, and the paper's equations, step by step (tests/gating/test_lstm_variants.py).
"""

from typing import Literal

import torch
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Positive
from attend.gating.lstm import LSTM, Gates


class WithoutGate(LSTM):
    """An LSTM one of whose gates, `without`, always stands at 1. Its weights are still there, and are not asked."""

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, without: Literal["input", "forget", "output"]):
        super().__init__(input_size, hidden_size)
        self.without = without

    def gates(self, x: Tensor, state: tuple[Tensor, Tensor]) -> Gates:
        """As in `LSTM`, but for the gate that is missing."""
        gates = super().gates(x, state)
        return gates._replace(**{self.without: torch.ones_like(gates.candidate)})


class CoupledGates(LSTM):
    """An LSTM that writes as much as it forgets, i = 1 - f; the input gate's own weights are not asked."""

    def gates(self, x: Tensor, state: tuple[Tensor, Tensor]) -> Gates:
        """As in `LSTM`, but for the input gate."""
        gates = super().gates(x, state)
        return gates._replace(input=1 - gates.forget)


class NoOutputActivation(LSTM):
    """An LSTM that shows its cell as it is, h = o ⊙ c, without the tanh."""

    def step(self, x: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """One time step, as in `LSTM`."""
        i, f, g, o = self.gates(x, state)
        c = f * state[1] + i * g
        return o * c, c


class Peepholes(LSTM):
    """An LSTM whose gates see the cell, each through one weight a cell: three vectors p, which start at 0.

    Input and forget gate see the old cell, the output gate the new one.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive):
        super().__init__(input_size, hidden_size)
        self.from_cell = nn.Parameter(torch.zeros(3, hidden_size))  # p

    def step(self, x: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """One time step, as in `LSTM`."""
        h, c = state
        i, f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(4, dim=-1)  # each (B, H)
        p_i, p_f, p_o = self.from_cell  # each (H)
        c = torch.sigmoid(f + p_f * c) * c + torch.sigmoid(i + p_i * c) * torch.tanh(g)
        return torch.sigmoid(o + p_o * c) * torch.tanh(c), c
