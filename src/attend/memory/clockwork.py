"""Clockwork RNN: groups of units with a clock each; a group whose clock does not tick keeps what it holds.

Source   Koutník, Greff, Gomez & Schmidhuber 2014, A Clockwork RNN, arXiv:1402.3511.
Departs  one bias a unit and no output layer of its own; groups need not double their period from one to the next; the
         rows that do not tick are computed too, and not used.
Agrees   torch.nn.RNN and attend.memory.elman with one group of period 1; a dense, masked reference for several groups,
         in values and gradients (tests/memory/test_clockwork.py).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import linear

from attend.core.expect import checked, expect
from attend.core.types import NonNegative, Positive, Rule


def _grow(periods: Sequence[int]) -> bool:
    whole = len(periods) > 0 and all(type(period) is int for period in periods)
    return whole and periods[0] >= 1 and all(a < b for a, b in pairwise(periods))


Periods = Annotated[Sequence[int], Rule("whole numbers that grow, the first at least 1, as in (1, 2, 4, 8)", _grow)]


class Clockwork(nn.Module):
    """One layer, h_t = tanh(W x_t + U h_{t-1} + b) in the rows whose clock ticks, and h_t = h_{t-1} in the others.

    The units form one group of equal size for each period, fast to slow. A group of period P ticks at the steps 0, P,
    2P, … and hears the input, itself and the slower groups: `reach` (H, H) is True where U may connect. Input
    (B, T, input_size); output (B, T, hidden_size) and the last state: h (B, hidden_size), and the time of the next
    step. W and U start uniform in ±√(6 / (input_size + hidden_size)) and ±1 / √hidden_size, b at zero. `generator`
    makes the draw repeatable. Raises ValueError for sizes that are not positive, periods that do not grow, and a
    hidden_size that is no multiple of their number.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        periods: Periods,
        generator: torch.Generator | None = None,
    ):
        groups = len(periods)
        expect(hidden_size % groups == 0, "hidden_size", hidden_size, f"a multiple of the {groups} periods")
        super().__init__()
        self.input_size, self.hidden_size, self.periods = input_size, hidden_size, tuple(periods)
        period = torch.tensor(periods).repeat_interleave(hidden_size // groups)  # (H,)
        self.register_buffer("period", period, persistent=False)
        self.register_buffer("reach", period[None, :] >= period[:, None], persistent=False)
        self.from_input = nn.Linear(input_size, hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        bound, of_hidden = (6 / (self.input_size + self.hidden_size)) ** 0.5, self.hidden_size**-0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        nn.init.uniform_(self.from_hidden.weight, -of_hidden, of_hidden, generator=generator)
        self.from_hidden.weight *= self.reach
        nn.init.zeros_(self.from_input.bias)

    @property
    def weights(self) -> int:
        """How many numbers training can change: W, b, and the entries of U that connect."""
        return self.from_input.weight.numel() + self.from_input.bias.numel() + int(self.reach.sum())

    @checked
    def ticks(self, t: NonNegative) -> Bool[Tensor, " H"]:
        """Which of the units take in something new at step t: those whose period divides it."""
        return t % self.period == 0

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: tuple[Float[Tensor, "B {self.hidden_size}"], int] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], tuple[Float[Tensor, "B H"], int]]:
        """All time steps; without `state`, h is zero and the time is 0, when every group ticks."""
        h, start = (x.new_zeros(len(x), self.hidden_size), 0) if state is None else state
        U = self.from_hidden.weight * self.reach
        outputs = []
        for t, x_t in enumerate(self.from_input(x).unbind(dim=1), start):  # W x_t + b, (B, H)
            new = torch.tanh(x_t + linear(h, U))
            h = torch.where(t % self.period == 0, new, h)
            outputs.append(h)
        return torch.stack(outputs, dim=1), (h, start + len(outputs))
