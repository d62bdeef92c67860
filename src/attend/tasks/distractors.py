"""Recall amid distractors: a key comes first, then symbols that mean nothing, and at the end the key is asked for.

Source   The long-time-lag tasks of Hochreiter & Schmidhuber 1997, Long short-term memory, section 5.2.
Departs  four keys and four distractors; the key is asked for at the end, and nothing else is predicted.
Agrees   where the key stands, shares of symbols, and the cost of guessing (tests/tasks/test_distractors.py).
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Positive, Seed

CHANCE = 1 / 4
"""The share of right answers of one who guesses."""


@checked
def sample(
    batch: Positive, lag: Positive, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 8"], Int[Tensor, "B"]]:
    """`batch` sequences of a key (symbol 0 to 3) and `lag` distractors (4 to 7), as one-hot vectors, and the keys."""
    key = torch.randint(4, (batch,), generator=generator)
    distractors = torch.randint(4, 8, (batch, lag), generator=generator)
    symbols = torch.cat([key[:, None], distractors], dim=1)  # (B, lag + 1)
    return F.one_hot(symbols, 8).float(), key


@checked
def anywhere(
    batch: Positive, steps: Positive, latest: Positive, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 8"], Int[Tensor, "B"], Int[Tensor, "B"]]:
    """As `sample`, but the key stands at any of the first `latest` of `steps` steps: sequences, keys, and where."""
    symbols = torch.randint(4, 8, (batch, steps), generator=generator)
    key = torch.randint(4, (batch,), generator=generator)
    at = torch.randint(latest, (batch,), generator=generator)
    symbols[torch.arange(batch), at] = key
    return F.one_hot(symbols, 8).float(), key, at


@checked
def example(lag: Positive = 12, seed: Seed = 0) -> str:
    """One sequence to read, with its answer: `D w z z y x w y z x x w z → D`."""
    x, key = sample(1, lag, torch.Generator().manual_seed(seed))
    return " ".join("ABCDwxyz"[symbol] for symbol in x[0].argmax(dim=1).tolist()) + f" → {'ABCD'[key.item()]}"
