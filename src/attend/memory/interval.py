"""A handcrafted memory: how often has a series entered an interval? Three ways to hold what must be known.

Source   The two-dimensional processor of lecture sankaran2019part5; networks of threshold units after Minsky 1967.
Departs  both ends belong to the interval, and the start is outside it: a summary of zeros would start inside [0, 1].
Agrees   a brute-force count, step by step; torch.nn.RNN for the network's layer (tests/memory/test_interval.py).
"""

from math import isfinite

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.unroll import unroll

__all__ = ["Counter", "Network", "OneBit"]


class Counter:
    """The lecture's processor: h_t = (x_t, n_t), the last raw input and the number of entrances so far.

    An entrance is a step inside [low, high] whose step before was outside. Raises ValueError unless low < high.
    """

    @checked
    def __init__(self, low: float = 0.0, high: float = 1.0):
        _interval(low, high)
        self.low, self.high = low, high

    @checked
    def start(self, batch: int) -> Float[Tensor, "B 2"]:
        """h_0 for each of `batch` series: a last input that lies outside the interval, and no entrance yet."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return torch.tensor([self.low - 1.0, 0.0]).repeat(batch, 1)

    @checked
    def forward(
        self, x: Float[Tensor, "B 1"], state: Float[Tensor, "B 2"]
    ) -> tuple[Float[Tensor, "B 2"], Float[Tensor, "B 2"]]:
        """One step. What the processor says is its new summary, so output and state are the same (B, 2)."""
        return self._step(x, state)

    __call__ = forward

    def _step(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        previous, count = state.unbind(1)
        now = x[:, 0]
        entered = self._inside(now) & ~self._inside(previous)
        h = torch.stack([now, count + entered], dim=1)
        return h, h

    def _inside(self, x: Tensor) -> Tensor:
        """Where low <= x <= high."""
        return (self.low <= x) & (x <= self.high)

    @checked
    def sequence(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B 2"] | None = None
    ) -> tuple[Float[Tensor, "B T 2"], Float[Tensor, "B 2"]]:
        """All T steps: the summaries (B, T, 2) and the last one. Without `state` it begins outside.

        Raises ValueError for an empty series and for numbers that are not finite.
        """
        state = self.start(len(x)).to(x.dtype) if state is None else state
        return unroll(self._step, x, state)


class OneBit(Counter):
    """The same count with less kept: h_t = (inside_t, n_t). The first coordinate is 1 inside and 0 outside."""

    @checked
    def start(self, batch: int) -> Float[Tensor, "B 2"]:
        """h_0 = 0 for each of `batch` series: outside, and no entrance yet."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return torch.zeros(batch, 2)

    def _step(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        was, count = state.unbind(1)
        now = self._inside(x[:, 0]).to(state.dtype)
        entered = now * (1 - was)
        h = torch.stack([now, count + entered], dim=1)
        return h, h


class Network(nn.Module):
    """The same count from linear maps, steps and ReLUs only: a layer of units, then a recurrent layer.

        s_t = step(A x_t + a)                  2 steps, or 4 ReLUs that make two ramps
        h_t = relu(W s_t + U h_{t-1} + b)      3 units: inside now, entered now, entered before
        n_t = R h_t                            entered now + entered before

    With `ramp` = 0, step is 1 where its argument is not negative, and the count is exact. With `ramp` > 0 a ReLU
    stands in its place and each step becomes a ramp of that width outside the interval; the count is then exact for
    series that stay off the ramps. All weights are written by hand and none is trained.
    """

    @checked
    def __init__(self, low: float = 0.0, high: float = 1.0, ramp: float = 0.0):
        _interval(low, high)
        expect(0 <= ramp < float("inf"), "ramp", ramp, "a finite width that is not negative")
        super().__init__()
        self.ramp = ramp
        A, a, ends = _steps(low, high) if ramp == 0 else _ramps(low, high, ramp)
        matrices = {
            "A": A,
            "a": a,
            "W": [ends, ends, [0.0] * len(ends)],
            "U": [[0, 0, 0], [-1, 0, 0], [0, 1, 1]],
            "b": [-1, -1, 0],
            "R": [[0, 1, 1]],
        }
        for name, values in matrices.items():
            self.register_buffer(name, torch.tensor(values, dtype=torch.float64))

    @checked
    def start(self, batch: int) -> Float[Tensor, "B 3"]:
        """h_0 = 0 for each of `batch` series: not inside, not entered now, never entered before."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return self.U.new_zeros(batch, 3)

    @checked
    def forward(
        self, x: Float[Tensor, "B 1"], state: Float[Tensor, "B 3"]
    ) -> tuple[Float[Tensor, "B 1"], Float[Tensor, "B 3"]]:
        """One step: the count so far (B, 1), and the new summary (B, 3)."""
        return self._step(x, state)

    def _step(self, x: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
        h = torch.relu(self.ends(x) @ self.W.T + state @ self.U.T + self.b)
        return h @ self.R.T, h

    @checked
    def sequence(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B 3"] | None = None
    ) -> tuple[Float[Tensor, "B T 1"], Float[Tensor, "B 3"]]:
        """All T steps: the counts (B, T, 1), in float64, and the last summary.

        Raises ValueError for an empty series and for numbers that are not finite.
        """
        state = self.start(len(x)) if state is None else state
        return unroll(self._step, x.double(), state)

    @checked
    def ends(self, x: Float[Tensor, "... 1"]) -> Float[Tensor, "... Z"]:
        """The first layer, s = step(A x + a): on which side of each end of the interval x lies."""
        sides = x.to(self.A.dtype) @ self.A.T + self.a
        return (sides >= 0).to(sides.dtype) if self.ramp == 0 else torch.relu(sides)


def _interval(low: float, high: float) -> None:
    expect(isfinite(low), "low", low, "a finite number")
    expect(isfinite(high) and low < high, "high", high, f"a finite number above low = {low}")


def _steps(low: float, high: float) -> tuple[list, list, list]:
    """Two steps, x >= low and x <= high; both are 1 inside, and just one of them outside."""
    return [[1.0], [-1.0]], [-low, high], [1.0, 1.0]


def _ramps(low: float, high: float, ramp: float) -> tuple[list, list, list]:
    """Each step as the difference of two ReLUs, relu(x / ramp + 1) - relu(x / ramp): 0 below -ramp, 1 from 0 on."""
    slope = 1 / ramp
    A = [[slope], [slope], [-slope], [-slope]]
    a = [1 - slope * low, -slope * low, 1 + slope * high, slope * high]
    return A, a, [1.0, -1.0, 1.0, -1.0]
