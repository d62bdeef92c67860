"""How often has a series entered an interval? A memory of two numbers by hand, and a network of the same form.

Source   The two-dimensional processor of lecture sankaran2019part5; ReLUs and U = I at the start: Le, Jaitly & Hinton
         2015, A simple way to initialize recurrent networks of rectified linear units.
Departs  both ends belong to the interval, and the start is outside it: a state of zeros would start inside [0, 1].
Agrees   a brute-force count, step by step; torch.nn.RNN for the network's layer (tests/memory/test_interval.py).
"""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Finite, Positive, PositiveFloat

__all__ = ["Counter", "CountingRNN", "by_hand"]


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
        self.start = torch.tensor([low - 1.0, 0.0])  # last input: outside; count: 0

    def inside(self, x: Tensor) -> Tensor:
        """Where low <= x <= high."""
        return (self.low <= x) & (x <= self.high)

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, 1) and the state h (B, 2) give the new state."""
        last, count = h.unbind(dim=1)
        now = x[:, 0]
        entered = self.inside(now) & ~self.inside(last)
        return torch.stack([now, count + entered], dim=1)

    @checked
    def forward(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B 2"] | None = None
    ) -> tuple[Float[Tensor, "B T 2"], Float[Tensor, "B 2"]]:
        """All time steps; without `state` it begins outside, before the first entrance."""
        h = self.start.to(x).expand(len(x), 2) if state is None else state
        outputs = []
        for x_t in x.unbind(dim=1):  # x_t: (B, 1)
            h = self.step(x_t, h)
            outputs.append(h)
        return torch.stack(outputs, dim=1), h  # (B, T, 2), (B, 2)


class CountingRNN(nn.Module):
    """The same wires with another box: linear maps and bends, and numbers in them that can be written or learned.

        s_t = relu(A x_t + a)                    (B, F): what it sees of the input
        h_t = activation(W s_t + U h_{t-1} + b)  (B, H): the hidden state
        n_t = R h_t + r                          (B): the count, read from the hidden state

    U starts as the identity, so that at first the state is kept; all else as torch draws it. `activation` is relu or
    tanh. Raises ValueError for sizes that are not positive.
    """

    @checked
    def __init__(self, features: Positive, hidden_size: Positive, activation: Callable = torch.relu):
        super().__init__()
        self.hidden_size, self.activation = hidden_size, activation
        self.sees = nn.Linear(1, features)  # A and a
        self.from_seen = nn.Linear(features, hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.count = nn.Linear(hidden_size, 1)  # R and r
        nn.init.eye_(self.from_hidden.weight)  # at first: keep what you have

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, 1) and the hidden state h (B, H) give the new hidden state."""
        seen = torch.relu(self.sees(x))  # (B, F)
        return self.activation(self.from_seen(seen) + self.from_hidden(h))

    @checked
    def forward(
        self, x: Float[Tensor, "B T 1"], state: Float[Tensor, "B {self.hidden_size}"] | None = None
    ) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B T H"]]:
        """All time steps: the counts, and the hidden states that they were read from; without `state` from zero."""
        h = x.new_zeros(len(x), self.hidden_size) if state is None else state
        outputs = []
        for x_t in x.unbind(dim=1):  # x_t: (B, 1)
            h = self.step(x_t, h)
            outputs.append(h)
        hidden = torch.stack(outputs, dim=1)  # (B, T, H)
        return self.count(hidden).squeeze(2), hidden


@checked
def by_hand(k: PositiveFloat = 128.0) -> CountingRNN:
    """The counter for [0, 1] as a network of seven units, in float64; its edges are ramps of width 1 / k outside it.

    It is exact for series that have no value on a ramp. Raises ValueError unless k is positive.
    """
    network = CountingRNN(features=4, hidden_size=3).double()
    numbers = {
        "sees.weight": [[k], [k], [-k], [-k]],  # A: two bends at each edge
        "sees.bias": [1, 0, k + 1, k],  # a
        "from_seen.weight": [[1, -1, 1, -1], [1, -1, 1, -1], [0, 0, 0, 0]],  # W
        "from_seen.bias": [-1, -1, 0],  # b
        "from_hidden.weight": [[0, 0, 0], [-1, 0, 0], [0, 1, 1]],  # U
        "count.weight": [[0, 1, 1]],  # R
        "count.bias": [0],  # r
    }
    network.load_state_dict({name: torch.tensor(values) for name, values in numbers.items()})
    return network.requires_grad_(False)
