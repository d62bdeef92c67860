"""Counting how often a series enters an interval: random series, and the count from a whole one.

Source   The counting task of lecture sankaran2019part5; Gaussian-process paths after Rasmussen & Williams 2006.
Departs  entrances are counted, and crossings beside them: the lecture uses both words.
Agrees   a loop over every step, and the expected number of entrances of the process (tests/tasks/test_crossings.py).
"""

from math import isfinite

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor

from attend.core.expect import checked, expect
from attend.core.types import Seed

__all__ = ["cost", "crossings", "entrances", "exact", "example", "inside", "paths", "sample"]

JITTER = 1e-6  # added to the variance: without it the covariance of a smooth path is singular in float64


@checked
def paths(
    batch: int, steps: int = 60, length_scale: float = 4.0, generator: torch.Generator | None = None
) -> Float[Tensor, "B T"]:
    """Smooth random series: paths of a Gaussian process with mean 0, variance 1 and a squared-exponential covariance.

    Values `length_scale` steps apart correlate by e^(-1/2) = 0.61. Raises ValueError for sizes that are not positive.
    """
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(steps > 0, "steps", steps, "a positive whole number")
    expect(0 < length_scale < float("inf"), "length_scale", length_scale, "a positive finite number of steps")
    t = torch.arange(steps, dtype=torch.float64)
    covariance = torch.exp(-0.5 * ((t[:, None] - t) / length_scale) ** 2)
    root = torch.linalg.cholesky(covariance + JITTER * torch.eye(steps, dtype=torch.float64))
    noise = torch.randn(batch, steps, dtype=torch.float64, generator=generator)
    return (noise @ root.T).float()


@checked
def inside(x: Float[Tensor, "B T"], low: float = 0.0, high: float = 1.0) -> Bool[Tensor, "B T"]:
    """Where low <= x <= high: both ends belong to the interval."""
    expect(isfinite(low), "low", low, "a finite number")
    expect(isfinite(high) and low < high, "high", high, f"a finite number above low = {low}")
    return (low <= x) & (x <= high)


@checked
def entrances(x: Float[Tensor, "B T"], low: float = 0.0, high: float = 1.0) -> Int[Tensor, "B T"]:
    """For every step, how many steps so far were inside when the step before was not. Before the series is outside."""
    now = inside(x, low, high)
    before = F.pad(now, (1, 0))[:, :-1]
    return (now & ~before).cumsum(dim=1)


@checked
def crossings(x: Float[Tensor, "B T"], low: float = 0.0, high: float = 1.0) -> Int[Tensor, "B T"]:
    """For every step, how often the series has changed between inside and outside so far, in either direction."""
    now = inside(x, low, high)
    before = F.pad(now, (1, 0))[:, :-1]
    return (now ^ before).cumsum(dim=1)


@checked
def sample(
    batch: int, steps: int = 60, length_scale: float = 4.0, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T 1"], Int[Tensor, "B T"]]:
    """Random series (B, T, 1) and, for every step, the number of entrances into [0, 1] so far (B, T)."""
    x = paths(batch, steps, length_scale, generator)
    return x[:, :, None], entrances(x)


@checked
def cost(logits: Float[Tensor, "B T V"], counts: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    """Mean cross-entropy in nat per step, when V scores say which of the counts 0 … V-1 is right."""
    top = logits.shape[-1] - 1
    expect(bool(((counts >= 0) & (counts <= top)).all()), "counts", counts, f"counts from 0 to V - 1 = {top}")
    return F.cross_entropy(logits.flatten(0, 1), counts.flatten())


@checked
def exact(guesses: Int[Tensor, "B T"], counts: Int[Tensor, "B T"]) -> float:
    """The share of series whose last count is right."""
    return (guesses[:, -1] == counts[:, -1]).double().mean().item()


@checked
def example(seed: Seed = 0) -> str:
    """One short series with its marks: the values, inside or not, and the count so far."""
    x = paths(1, 16, 2.0, torch.Generator().manual_seed(seed))
    values = " ".join(f"{v:+.1f}" for v in x[0])
    marks = " ".join("  in" if m else "   ." for m in inside(x)[0])
    counts = " ".join(f"{n:4d}" for n in entrances(x)[0])
    return f"x      {values}\ninside {marks}\ncount  {counts}"
