"""Exercises of the page on counting entrances into an interval."""

import itertools
from collections.abc import Callable

from attend.checks.answers import number, parts
from attend.checks.exercise import Wrong, exercise

VALUES = (-0.5, 0.0, 0.5, 1.0, 2.0)


def _series(length: int):
    """Every series of the given length that is made of `VALUES`."""
    return itertools.product(VALUES, repeat=length)


def _inside(x: float) -> bool:
    return 0 <= x <= 1


def _entrances(x: tuple) -> int:
    return sum(_inside(now) and not _inside(before) for before, now in itertools.pairwise((-1.0, *x)))


@exercise
def update(stepped: Callable) -> str:
    """stepped((last, count), x) -> (last, count): the lecture's processor for the interval [0, 1]."""
    for last, x in itertools.product(VALUES, repeat=2):
        kept, count = _counted(stepped((last, 5), x), 2)
        enters = _inside(x) and not _inside(last)
        told = f"after last = {last} and x = {x}"
        if kept != x:
            raise Wrong(f"the new input must be kept as the last one: {told} the summary holds {kept}")
        if count != 5 + enters:
            _why(count - 5, last, x, told)
    return "Two numbers and one comparison: the whole series is never needed."


def _why(grown: float, last: float, x: float, told: str) -> None:
    if grown == 1 and _inside(x) and _inside(last):
        raise Wrong(f"staying inside is no entrance: {told} the count must stay")
    if grown == 1 and _inside(last):
        raise Wrong(f"leaving is no entrance: {told} the count must stay")
    if grown == 1:
        raise Wrong(f"{told} the count grew, but {x} is not inside [0, 1]")
    if grown == 0 and last > 1:
        raise Wrong(f"an entrance from above counts as well: {told} the count must grow by one")
    if grown == 0 and x in (0.0, 1.0):
        raise Wrong(f"both ends belong to the interval: {told} there is an entrance")
    raise Wrong(f"{told} the count must grow by {int(_inside(x) and not _inside(last))}, got {grown}")


@exercise
def upward(stepped: Callable) -> str:
    """stepped(h, x) -> h, with h = (anything, count), beginning at (-1, 0): entrances from below only."""
    for x in _series(4):
        h = (-1, 0)
        for t, value in enumerate(x, start=1):
            h = _counted(stepped(h, value), 2)
            before = (-1.0, *x[: t - 1])
            pairs = list(zip(before, x[:t], strict=True))
            wanted = sum(_inside(b) and a < 0 for a, b in pairs)
            if h[1] == wanted:
                continue
            told = f"after {', '.join(map(str, x[:t]))}"
            if h[1] == _entrances(x[:t]):
                raise Wrong(f"entrances from above must not count: {told} expected {wanted}, got {h[1]}")
            if h[1] == sum(b >= 0 > a for a, b in pairs):
                raise Wrong(f"a jump from below 0 to above 1 is no entrance: {told} expected {wanted}, got {h[1]}")
            raise Wrong(f"{told} expected {wanted}, got {h[1]}")
    return "One bit would not do here: outside comes in two kinds, below and above."


@exercise
def stay(stepped: Callable) -> str:
    """stepped((now, longest), x) -> (now, longest), beginning at (0, 0): the longest stay inside, in steps."""
    for x in _series(5):
        h, now, longest = (0, 0), 0, 0
        for t, value in enumerate(x, start=1):
            h = _counted(stepped(h, value), 2)
            now = now + 1 if _inside(value) else 0
            longest = max(longest, now)
            if h[1] == longest:
                continue
            told = f"after {', '.join(map(str, x[:t]))} the longest stay is {longest}, got {h[1]}"
            if h[1] == sum(map(_inside, x[:t])):
                raise Wrong(f"a stay ends when the series leaves, and the next one begins at zero: {told}")
            if h[1] < longest:
                raise Wrong(f"the longest stay must never be forgotten, and a stay that still lasts counts: {told}")
            raise Wrong(told)
    return "The bit is still there: the series is inside when the present stay is not 0."


@exercise
def single(crossed: Callable) -> str:
    """crossed(c, x) -> c: only the number of crossings is kept, beginning at 0."""
    for x in _series(5):
        c, was, wanted = 0, False, 0
        for t, value in enumerate(x, start=1):
            (c,) = _counted((crossed(c, value),), 1)
            wanted, was = wanted + (_inside(value) != was), _inside(value)
            if c == wanted:
                continue
            told = f"after {', '.join(map(str, x[:t]))} there were {wanted} crossings, got {c}"
            if c == _entrances(x[:t]):
                raise Wrong(f"leaving is a crossing too: {told}")
            if c == sum(map(_inside, x[:t])):
                raise Wrong(f"staying inside is no crossing: {told}")
            raise Wrong(told)
    return "Whether the series is inside now is written in the number itself: it is, when the number is odd."


def _counted(answer: object, length: int) -> tuple:
    """The summary as a tuple whose last part, the count, is a number."""
    *kept, count = parts(answer, length)
    return *kept, number(count, "the count")
