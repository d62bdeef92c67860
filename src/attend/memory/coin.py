"""Memories of coin flips: one written by hand, which counts, and one that is learned, which has the same interface.

Source   Fisher 1922, On the mathematical foundations of theoretical statistics (sufficiency); Elman 1990, Finding
         structure in time (the network); lecture sankaran2019part5 (the analogy between the two).
Departs  the hand-made memory keeps the number of flips beside the heads, where the lecture keeps their proportion.
Agrees   scipy.stats.beta, brute force over all series of 8 flips, torch.nn.RNN (tests/memory/test_coin.py).
"""

from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Positive


@runtime_checkable
class Memory(Protocol):
    """What reads a stream of flips (1 heads, 0 tails) one by one, for B streams side by side."""

    def start(self, flips: Tensor) -> Tensor:
        """The hidden state before the first of `flips` (B, T)."""

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """The new hidden state (B, H) from one flip of each stream, x (B), and the old one."""

    def predict(self, h: Tensor) -> Tensor:
        """The probability that the next flip is heads (B)."""


class Tally:
    """By hand: the hidden state is (heads, flips), and the prediction Laplace's rule of succession."""

    @checked
    def start(self, flips: Float[Tensor, "B T"]) -> Float[Tensor, "B H"]:
        """No heads, no flips."""
        return flips.new_zeros(len(flips), 2)

    @checked
    def step(self, x: Float[Tensor, "B"], h: Float[Tensor, "B 2"]) -> Float[Tensor, "B 2"]:
        """The flip is added to the heads, and 1 to the flips."""
        # x: (B), h: (B, 2)
        return h + torch.stack([x, torch.ones_like(x)], dim=1)

    @checked
    def predict(self, h: Float[Tensor, "B 2"]) -> Float[Tensor, "B"]:
        """The mean of the Beta(heads + 1, tails + 1) posterior: every bias was equally likely beforehand."""
        k, n = h.unbind(dim=1)
        return (k + 1) / (n + 2)


class StickyTally:
    """By hand, for a coin that repeats its last flip with an unknown probability: (repeats, flips, last flip)."""

    @checked
    def start(self, flips: Float[Tensor, "B T"]) -> Float[Tensor, "B H"]:
        """No repeats, no flips; -1 stands for a last flip that there is not."""
        return flips.new_tensor([0.0, 0.0, -1.0]).repeat(len(flips), 1)

    @checked
    def step(self, x: Float[Tensor, "B"], h: Float[Tensor, "B 3"]) -> Float[Tensor, "B 3"]:
        """A flip is a repeat where it equals the last one; then it is the last one itself."""
        repeats, n, last = h.unbind(dim=1)
        return torch.stack([repeats + (x == last), n + 1, x], dim=1)

    @checked
    def predict(self, h: Float[Tensor, "B 3"]) -> Float[Tensor, "B"]:
        """The rule of succession for repeats, after a flip or more. The first could repeat nothing."""
        repeats, n, last = h.unbind(dim=1)
        again = (repeats + 1) / (n + 1)
        return torch.where(last == 1, again, 1 - again)


class CoinRNN(nn.Module):
    """Learned: h_t = tanh(W x_t + U h_{t-1} + b), and the log-odds of heads are a weighted sum of h_t.

    Raises ValueError unless `hidden_size` is positive.
    """

    @checked
    def __init__(self, hidden_size: Positive):
        super().__init__()
        self.hidden_size = hidden_size
        self.from_input = nn.Linear(1, hidden_size)  # W and b
        # U; one b is enough
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)
        self.head = nn.Linear(hidden_size, 1)  # v and c

    def start(self, flips: Tensor) -> Tensor:
        """Zeros."""
        return flips.new_zeros(len(flips), self.hidden_size)

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One step of a vanilla RNN."""
        # x: (B), h: (B, H)
        return torch.tanh(self.from_input(x[:, None]) + self.from_hidden(h))

    def predict(self, h: Tensor) -> Tensor:
        """The probability of heads from the log-odds."""
        return torch.sigmoid(self.head(h)).squeeze(1)


@checked
def read(memory: Memory, flips: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    """The probability of heads next, after each of the flips. Raises ValueError for flips other than 0 and 1."""
    expect(bool(((flips == 0) | (flips == 1)).all()), "flips", flips, "only 0 (tails) and 1 (heads)")
    h = memory.start(flips)
    probs = []
    for x in flips.unbind(dim=1):  # x: (B), h: (B, H)
        h = memory.step(x, h)
        probs.append(memory.predict(h))
    return torch.stack(probs, dim=1)  # (B, T)
