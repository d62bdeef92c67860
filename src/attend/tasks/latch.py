"""Latch: one of four symbols comes first, then nothing for a while, and at the end the symbol is asked for.

Source   The latch problem of Hochreiter & Schmidhuber 1997 and Bengio, Simard & Frasconi 1994, in its plainest form.
Departs  four symbols in place of two, and no noise while nothing comes.
Agrees   shares of symbols, places of ones, and the cost of knowing nothing (tests/tasks/test_latch.py).
"""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from attend.core.expect import checked, expect
from attend.core.types import Seed

SYMBOLS = "ABCD"

CHANCE = 1 / len(SYMBOLS)
"""The share of right answers of one who guesses."""

KNOWS_NOTHING = math.log(len(SYMBOLS))
"""The cost, in nats, of giving each symbol the same probability."""


@checked
def sample(
    batch: int, lag: int, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 4"], Int[Tensor, "B"]]:
    """`batch` series of lag + 1 steps and the symbols 0 to 3: a one at the symbol's place first, then only zeros."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(lag > 0, "lag", lag, "a positive whole number")
    symbol = torch.randint(len(SYMBOLS), (batch,), generator=generator)
    x = torch.zeros(batch, lag + 1, len(SYMBOLS))
    x[torch.arange(batch), 0, symbol] = 1.0
    return x, symbol


@checked
def cost(scores: Float[Tensor, "B 4"], symbols: Int[Tensor, "B"]) -> Float[Tensor, ""]:
    """The mean cross-entropy of the symbols, in nats."""
    expect(bool(((symbols >= 0) & (symbols < len(SYMBOLS))).all()), "symbols", symbols, "whole numbers from 0 to 3")
    return cross_entropy(scores, symbols.long())


@checked
def right(scores: Float[Tensor, "B 4"], symbols: Int[Tensor, "B"]) -> float:
    """The share of series whose highest score is the symbol's."""
    return (scores.argmax(dim=1) == symbols).double().mean().item()


@checked
def example(lag: int = 5, seed: Seed = 0) -> str:
    """One series to read, with its answer: `C . . . . . → C`."""
    _, symbol = sample(1, lag, torch.Generator().manual_seed(seed))
    shown = SYMBOLS[symbol.item()]
    return f"{shown}{' .' * lag} → {shown}"
