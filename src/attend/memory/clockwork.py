"""Clockwork RNN: groups of units with a clock each; a group whose clock does not tick keeps what it holds.

Source   Koutník, Greff, Gomez & Schmidhuber 2014, A Clockwork RNN, arXiv:1402.3511.
Departs  one bias a unit and no output layer of its own; groups need not double their period from one to the next.
Agrees   torch.nn.RNN and attend.memory.elman with one group of period 1; a dense, masked reference for several groups,
         in values and gradients (tests/memory/test_clockwork.py).
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked, expect, finite


class Ticking(NamedTuple):
    """The state: `h` (B, H), what each unit holds, and `step`, the time that all clocks read next."""

    h: Float[Tensor, "B H"]
    step: int


class Clockwork(nn.Module):
    """The unit h_t = tanh(W x_t + U h_{t-1} + b) in the rows whose clock ticks, and h_t = h_{t-1} in the others.

    The H units form one group of equal size for each period, fast to slow. A group of period P ticks at the steps
    0, P, 2P, … and hears the input, itself and the slower groups: `reach` (H, H) is True where U may connect, and the
    other entries of U stay zero. Weights: W (H, D), U (H, H), b (H). W and U start uniform in ±√(6 / (D + H)) and
    ±1 / √H, b at zero. `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive, the periods grow from a first one of at least 1, and H is a multiple
    of their number.
    """

    @checked
    def __init__(self, D: int, H: int, periods: Sequence[int], generator: torch.Generator | None = None):
        expect(D > 0, "D", D, "a positive whole number")
        _grow(periods)
        expect(H > 0 and H % len(periods) == 0, "H", H, f"a positive multiple of the {len(periods)} periods")
        super().__init__()
        self.D, self.H, self.periods = D, H, tuple(periods)
        period = torch.tensor(periods).repeat_interleave(H // len(periods))
        self.register_buffer("period", period, persistent=False)
        self.register_buffer("reach", period[None, :] >= period[:, None], persistent=False)
        self.W = nn.Parameter(torch.empty(H, D))
        self.U = nn.Parameter(torch.empty(H, H))
        self.b = nn.Parameter(torch.zeros(H))
        nn.init.uniform_(self.W, -((6 / (D + H)) ** 0.5), (6 / (D + H)) ** 0.5, generator=generator)
        nn.init.uniform_(self.U, -(H**-0.5), H**-0.5, generator=generator)
        self.U.data *= self.reach

    @property
    def weights(self) -> int:
        """How many numbers training can change: W, b, and the entries of U that connect."""
        return self.W.numel() + self.b.numel() + int(self.reach.sum())

    @checked
    def start(self, batch: int) -> Ticking:
        """Empty units, h_0 = 0, for each of `batch` sequences, and clocks at 0, when every group ticks."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return Ticking(self.U.new_zeros(batch, self.H), 0)

    @checked
    def ticks(self, step: int) -> Bool[Tensor, " H"]:
        """Which of the H units take in something new at `step`: those whose period divides it."""
        expect(step >= 0, "step", step, "a whole number that is not negative")
        return step % self.period == 0

    @checked
    def forward(self, x: Float[Tensor, "B D"], state: Ticking) -> tuple[Float[Tensor, "B H"], Ticking]:
        """One step. What the network says is what its units hold (B, H); the clocks move on by one."""
        y, state = self.sequence(x[:, None], state)
        return y[:, 0], state

    @checked
    def sequence(
        self, x: Float[Tensor, "B T D"], state: Ticking | None = None
    ) -> tuple[Float[Tensor, "B T H"], Ticking]:
        """All T steps: what the units hold (B, T, H), and the last state. Only the rows that tick are computed.

        Raises ValueError for an empty sequence, for a state of another width and for numbers that are not finite.
        """
        expect(x.shape[2] == self.D, "x", x, f"vectors of this network's input width D = {self.D}")
        h, step = self.start(len(x)) if state is None else state
        self._fits(x, h, step)
        share = x @ self.W.T + self.b
        U = self.U * self.reach
        parts: dict[tuple[int, ...], tuple[Tensor, Tensor]] = {}
        held = []
        for t, share_t in enumerate(share.unbind(1), start=step):
            ticking = tuple(period for period in self.periods if t % period == 0)
            if ticking not in parts:
                rows = self.ticks(t).nonzero()[:, 0]
                parts[ticking] = rows, U[rows].T
            h = _tick(h, share_t, *parts[ticking])
            held.append(h)
        return torch.stack(held, dim=1), Ticking(h, step + len(held))

    def _fits(self, x: Tensor, h: object, step: object) -> None:
        """Refuse a state that does not belong to this network and this batch."""
        wanted = f"h: a tensor of shape (B, H) = ({len(x)}, {self.H})"
        expect(isinstance(h, Tensor) and h.shape == (len(x), self.H), "state", h, wanted)
        expect(isinstance(step, int) and step >= 0, "state", step, "step: a whole number that is not negative")
        finite("state", h)


def _tick(h: Tensor, share: Tensor, rows: Tensor, U: Tensor) -> Tensor:
    """New values in `rows`, and the old ones, untouched, in all others."""
    if len(rows) == 0:
        return h
    new = torch.tanh(share[:, rows] + h @ U)
    return new if len(rows) == h.shape[1] else h.index_copy(1, rows, new)


def _grow(periods: Sequence) -> None:
    """Refuse periods that do not grow from a first one of at least 1."""
    whole = len(periods) > 0 and all(type(period) is int for period in periods)
    grow = whole and periods[0] >= 1 and all(a < b for a, b in pairwise(periods))
    expect(grow, "periods", periods, "whole numbers that grow, the first at least 1, as in (1, 2, 4, 8)")
