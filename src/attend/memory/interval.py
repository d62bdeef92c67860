"""A handcrafted memory: how often has a series entered an interval? Three ways to hold what must be known.

Source   The two-dimensional processor of lecture sankaran2019part5; networks of threshold units after Minsky 1967.
Departs  both ends belong to the interval, and the start is outside it: a state of zeros would start inside [0, 1].
Agrees   a brute-force count, step by step; torch.nn.RNN for the network's layer (tests/memory/test_interval.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Finite, NonNegativeFloat

__all__ = ["Counter", "Network", "OneBit"]


class Counter(nn.Module):
    """The lecture's processor, h_t = (x_t, n_t): the last raw input and the number of entrances so far.

    An entrance is a step inside [low, high] whose step before was outside. Input (B, T, 1); output (B, T, 2) and the
    last state (B, 2). Raises ValueError unless low < high.
    """

    @checked
    def __init__(self, low: Finite = 0.0, high: Finite = 1.0):
        expect(low < high, "high", high, f"a finite number above low = {low}")
        super().__init__()
        self.low, self.high = low, high
        self.start = torch.tensor([low - 1.0, 0.0])  # a last input outside the interval, and no entrance yet

    def inside(self, x: Tensor) -> Tensor:
        """Where low <= x <= high."""
        return (self.low <= x) & (x <= self.high)

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, 1) and the state h (B, 2) give the new state."""
        previous, count = h.unbind(dim=1)
        now = x[:, 0]
        entered = self.inside(now) & ~self.inside(previous)
        return torch.stack([now, count + entered], dim=1)

    @checked
    def forward(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B 2"] | None = None
    ) -> tuple[Float[Tensor, "B T 2"], Float[Tensor, "B 2"]]:
        """All time steps; without `state` it begins outside, before the first entrance."""
        h = self.start.to(x).expand(len(x), 2) if state is None else state
        outputs = []
        for x_t in x.unbind(dim=1):
            h = self.step(x_t, h)
            outputs.append(h)
        return torch.stack(outputs, dim=1), h


class OneBit(Counter):
    """The same count with less kept, h_t = (inside_t, n_t): the first number is 1 inside and 0 outside."""

    @checked
    def __init__(self, low: Finite = 0.0, high: Finite = 1.0):
        super().__init__(low, high)
        self.start = torch.zeros(2)  # outside, and no entrance yet

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, 1) and the state h (B, 2) give the new state."""
        was, count = h.unbind(dim=1)
        now = self.inside(x[:, 0]).to(h.dtype)
        entered = now * (1 - was)
        return torch.stack([now, count + entered], dim=1)


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
    def __init__(self, low: Finite = 0.0, high: Finite = 1.0, ramp: NonNegativeFloat = 0.0):
        expect(low < high, "high", high, f"a finite number above low = {low}")
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

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, 1), in float64, and the state h (B, 3) give the new state."""
        return torch.relu(self.ends(x) @ self.W.T + h @ self.U.T + self.b)

    @checked
    def forward(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B 3"] | None = None
    ) -> tuple[Float[Tensor, "B T 1"], Float[Tensor, "B 3"]]:
        """All time steps: the counts (B, T, 1), in float64, and the last state; without `state` it begins at zero."""
        h = self.U.new_zeros(len(x), 3) if state is None else state
        counts = []
        for x_t in x.double().unbind(dim=1):
            h = self.step(x_t, h)
            counts.append(h @ self.R.T)
        return torch.stack(counts, dim=1), h

    @checked
    def ends(self, x: Float[Tensor, "... 1"]) -> Float[Tensor, "... Z"]:
        """The first layer, s = step(A x + a): on which side of each end of the interval x lies."""
        sides = x.to(self.A.dtype) @ self.A.T + self.a
        return (sides >= 0).to(sides.dtype) if self.ramp == 0 else torch.relu(sides)


def _steps(low: float, high: float) -> tuple[list, list, list]:
    """Two steps, x >= low and x <= high; both are 1 inside, and just one of them outside."""
    return [[1.0], [-1.0]], [-low, high], [1.0, 1.0]


def _ramps(low: float, high: float, ramp: float) -> tuple[list, list, list]:
    """Each step as the difference of two ReLUs, relu(x / ramp + 1) - relu(x / ramp): 0 below -ramp, 1 from 0 on."""
    slope = 1 / ramp
    A = [[slope], [slope], [-slope], [-slope]]
    a = [1 - slope * low, -slope * low, 1 + slope * high, slope * high]
    return A, a, [1.0, -1.0, 1.0, -1.0]
