"""Clockwork RNN: modules of hidden units, each with a clock; a module whose clock does not tick keeps its state.

Source   Koutník, Greff, Gomez & Schmidhuber 2014, A Clockwork RNN, arXiv:1402.3511.
Departs  one bias a unit and no output layer of its own; periods need not double from one module to the next; the rows
         that do not tick are computed too, and not used.
Agrees   torch.nn.RNN and attend.memory.elman with one module of period 1; a dense, masked reference for several
         modules, in values and gradients (tests/memory/test_clockwork.py).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import NonNegative, Positive, Rule


def _grow(periods: Sequence[int]) -> bool:
    whole = len(periods) > 0 and all(type(period) is int for period in periods)
    return whole and periods[0] >= 1 and all(a < b for a, b in pairwise(periods))


Periods = Annotated[Sequence[int], Rule("whole numbers that grow, the first at least 1, as in (1, 2, 4, 8)", _grow)]


class Clockwork(nn.Module):
    """One layer, h_t = tanh(W x_t + U h_{t-1} + b) in the modules whose clock ticks, and h_t = h_{t-1} in the others.

    There is a module of `module_size` hidden units for each period, fast to slow. The module of period P ticks at the
    steps 0, P, 2P, … and hears the input, itself and the slower modules: `reach` (H, H) is True where U may connect.
    Input (B, T, input_size); output (B, T, hidden_size) and the last state: h (B, hidden_size), and the time of the
    next step. W and U start uniform in ±√(6 / (input_size + hidden_size)) and ±1 / √hidden_size, b at zero.
    `generator` makes the draw repeatable. Raises ValueError for sizes that are not positive and for periods that do
    not grow.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        module_size: Positive,
        periods: Periods,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.periods = input_size, module_size * len(periods), tuple(periods)
        period = torch.tensor(periods).repeat_interleave(module_size)  # (H), as 1 1 2 2 4 4
        self.register_buffer("period", period, persistent=False)
        self.register_buffer("reach", period[:, None] <= period, persistent=False)  # (H, H), block upper triangular
        self.from_input = nn.Linear(input_size, self.hidden_size)  # W and b
        self.from_hidden = nn.Linear(self.hidden_size, self.hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        bound, of_hidden = (6 / (self.input_size + self.hidden_size)) ** 0.5, self.hidden_size**-0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        nn.init.uniform_(self.from_hidden.weight, -of_hidden, of_hidden, generator=generator)
        self.from_hidden.weight *= self.reach
        nn.init.zeros_(self.from_input.bias)

    @checked
    def ticks(self, t: NonNegative) -> Bool[Tensor, " H"]:
        """Which hidden units take a new value at step t: those whose period divides it."""
        return t % self.period == 0

    def step(self, x: Tensor, state: tuple[Tensor, int]) -> tuple[Tensor, int]:
        """One time step: x (B, input_size), the hidden state and the time give the new ones."""
        h, t = state
        U = self.from_hidden.weight * self.reach  # nobody hears a faster module
        new = torch.tanh(self.from_input(x) + h @ U.T)  # (B, H)
        return torch.where(self.ticks(t), new, h), t + 1

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: tuple[Float[Tensor, "B {self.hidden_size}"], int] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], tuple[Float[Tensor, "B H"], int]]:
        """All time steps; without `state`, h is zero and the time is 0, when every clock ticks."""
        if state is None:
            state = x.new_zeros(len(x), self.hidden_size), 0
        outputs = []
        for x_t in x.unbind(dim=1):  # x_t: (B, input_size)
            state = self.step(x_t, state)
            outputs.append(state[0])
        return torch.stack(outputs, dim=1), state  # (B, T, H), (h, time)
