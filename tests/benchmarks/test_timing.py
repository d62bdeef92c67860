"""What the clock makes of times: the ratio within a round, its quartiles, and how many calls a block holds."""

from types import SimpleNamespace

import pytest
from benchmarks import timing


class Clock:
    """A timer whose function says how long it takes, in a room where every second round is twice as slow."""

    asked: list = []  # noqa: RUF012

    def __init__(self, stmt, globals, num_threads):
        self.run, self.turn = globals["run"], 0

    def timeit(self, n):
        self.turn += 1
        self.asked.append(n)
        return SimpleNamespace(mean=self.run() * (1 + self.turn % 2))


def test_what_slows_both_does_not_change_the_ratio(monkeypatch):
    monkeypatch.setattr(timing, "Timer", Clock)
    monkeypatch.setattr(Clock, "asked", [])
    found = timing.in_turns(lambda: 0.006, lambda: 0.002, threads=1, rounds=5, block=0.12)
    assert found.ratio == found.ratio_low == found.ratio_high == pytest.approx(3)
    assert found.ours_ms in (pytest.approx(6), pytest.approx(12))
    assert found.theirs_ms == pytest.approx(found.ours_ms / 3)
    assert Clock.asked == [2, 2, *[10, 30] * 5]  # as many calls as fill a block, of both, in turns


@pytest.mark.parametrize(("threads", "rounds"), [(1, 1), (0, 3)])
def test_too_few_rounds_or_threads_are_refused(threads, rounds):
    with pytest.raises(ValueError, match="rounds and threads: got"):
        timing.in_turns(int, int, threads=threads, rounds=rounds)
