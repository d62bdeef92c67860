"""Two functions timed in turns, so that whatever slows the machine down slows both."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from torch.utils.benchmark import Timer

ROUNDS = 9
BLOCK = 0.2
"""Seconds that one function runs in one round, at least."""


@dataclass(frozen=True)
class Timing:
    """Milliseconds a call, the median over the rounds, and the ratio ours/theirs: its median and quartiles."""

    ours_ms: float
    theirs_ms: float
    ratio: float
    ratio_low: float
    ratio_high: float


def in_turns(ours: Callable, theirs: Callable, threads: int, rounds: int = ROUNDS, block: float = BLOCK) -> Timing:
    """Time `ours()` and `theirs()` on `threads` threads, a block of each in every round.

    The ratio is taken within a round. Raises ValueError unless there are at least 2 rounds and 1 thread.
    """
    if rounds < 2 or threads < 1:
        raise ValueError(f"rounds and threads: got {rounds} and {threads}, expected at least 2 and 1")
    timers = [Timer("run()", globals={"run": run}, num_threads=threads) for run in (ours, theirs)]
    calls = [max(1, round(block / timer.timeit(2).mean)) for timer in timers]  # also warms up
    seconds = [[timer.timeit(n).mean for timer, n in zip(timers, calls, strict=True)] for _ in range(rounds)]
    low, ratio, high = statistics.quantiles((a / b for a, b in seconds), n=4)
    a, b = (statistics.median(times) * 1_000 for times in zip(*seconds, strict=True))
    return Timing(a, b, ratio, low, high)
