"""Exercises of the page on delays and clocks."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from attend.checks.answers import whole
from attend.checks.exercise import Wrong, exercise


@exercise
def hops(fewest: Callable) -> str:
    """fewest(lag, delay) -> int: the fewest hops from step t back to step t - lag, by hops of 1 and of `delay`."""
    for lag, delay in [(100, 10), (7, 10), (23, 10), (12, 12), (99, 10), (0, 5), (50, 1)]:
        got, wanted = whole(fewest(lag, delay)), _fewest(lag, delay)
        where = f"for a lag of {lag} and a delay of {delay}"
        if got == wanted:
            continue
        if got == lag:
            raise Wrong(f"a hop of {delay} saves {delay - 1} small ones: {where} it takes {wanted}, not {got}")
        if got == lag // delay:
            raise Wrong(f"{where}, {got} long hops leave {lag - got * delay} steps to go, one small hop each")
        if got == -(-lag // delay):
            raise Wrong(f"{where}, {got} long hops land too far back; what is left takes small hops")
        raise Wrong(f"{where}, got {got}, expected {wanted}")
    return "Each hop costs the gradient one factor. A delay of ten turns a hundred factors into ten."


@exercise
def keep(step: Callable) -> str:
    """step(h, new, t, periods) -> list: group i takes new[i] when its clock ticks at t, and keeps h[i] when not."""
    periods, h, new = (1, 2, 4, 8), [1, 2, 3, 4], [-1, -2, -3, -4]
    for t in (0, 1, 2, 3, 4, 6, 8, 12, 16):
        got = step(list(h), list(new), t, periods)
        try:
            got = list(got)
        except TypeError:
            raise Wrong(f"the answer must be a list with one value a group, got {got!r}") from None
        ticks = [t % period == 0 for period in periods]
        wanted = [b if tick else a for a, b, tick in zip(h, new, ticks, strict=True)]
        if got == wanted:
            continue
        where = f"at step {t}"
        if got == [a if tick else b for a, b, tick in zip(h, new, ticks, strict=True)]:
            raise Wrong(f"{where} it is the wrong way round: a group keeps its value when its clock does not tick")
        if got == [b if tick else 0 for b, tick in zip(new, ticks, strict=True)]:
            raise Wrong(f"{where} the groups that do not tick are empty: they must keep what they hold")
        if t == 0:
            raise Wrong(f"at step 0 every clock ticks, because each period divides 0; got {got}, expected {wanted}")
        raise Wrong(f"{where} the periods {[p for p in periods if t % p == 0]} tick; got {got}, expected {wanted}")
    return "Keeping is exact: nothing is multiplied, so nothing fades."


@exercise
def share(updated: Callable) -> str:
    """updated(periods) -> float: the share of all units updated in a step, on average over a long time."""
    for periods in [(1,), (1, 2, 4, 8), (2, 3), (1, 2, 4, 8, 16, 32, 64, 128, 256), (5, 10, 20)]:
        got, G = updated(periods), len(periods)
        wanted = float(sum(Fraction(1, p) for p in periods) / G)
        if not isinstance(got, int | float) or isinstance(got, bool):
            raise Wrong(f"the answer must be a number, got {got!r}")
        if abs(got - wanted) < 1e-9:
            continue
        if abs(got - wanted * G) < 1e-9:
            raise Wrong(f"for {periods}, {got:.3g} counts groups, not a share of all units: divide by their number")
        if abs(got - G / sum(periods)) < 1e-9:
            raise Wrong(f"for {periods}, the average period is not what counts: average the rates 1 / period")
        if abs(got - (1 - wanted)) < 1e-9:
            raise Wrong(f"for {periods}, {got:.3g} is the share that rests")
        raise Wrong(f"for {periods}, got {got:.4g}, expected {wanted:.4g}")
    return "With periods that double, nine groups cost little more than two groups that never rest."


@cache
def _fewest(lag: int, delay: int) -> int:
    """By brute force: the fewest hops of 1 and of `delay` that add up to `lag`."""
    reached, hops = {0}, 0
    while lag not in reached:
        reached, hops = {at + hop for at in reached for hop in (1, delay) if at + hop <= lag}, hops + 1
    return hops
