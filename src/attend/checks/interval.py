"""Exercises of the page on counting entrances into an interval."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from attend.checks.answers import number, parts, tensor, whole
from attend.checks.exercise import Wrong, exercise
from attend.tasks import crossings

VALUES = (-0.5, 0.0, 0.5, 1.0, 2.0)


def _series(length: int):
    """Every series of the given length that is made of `VALUES`."""
    return itertools.product(VALUES, repeat=length)


def _inside(x: float) -> bool:
    return 0 <= x <= 1


def _entrances(x: tuple) -> int:
    return sum(_inside(now) and not _inside(before) for before, now in itertools.pairwise((-1.0, *x)))


@exercise
def walk(state: object) -> str:
    """The state (inside, count) that (1, 4) becomes when 0.2, 1.3, 0.9, -0.1 and 0.5 come in."""
    first, last = parts(state, 2, "the state")
    if isinstance(first, np.bool_ | Tensor) and math.prod(first.shape) == 1:
        first = first.item()
    inside = number(int(first) if isinstance(first, bool) else first, "the first part of the state")
    count = whole(last, "the count")
    if count == 7:
        raise Wrong("0.2 is no entrance: the state says that the series was inside already")
    if count == 2:
        raise Wrong("two entrances are right, and they are added to the 4 that were counted before")
    if count == 5:
        raise Wrong("0.9 and 0.5 are both entrances: the series came back from above, and then from below")
    if count != 6:
        raise Wrong(f"the count is not {count}: go along the arrows, one input at a time, from inside, 4")
    if inside == 0.5:
        raise Wrong("this memory keeps no inputs: its first part says whether the last one was inside, 1 or 0")
    if inside != 1:
        raise Wrong("the last input, 0.5, is inside")
    return "Two arrows go up from outside to inside, and only these two move on to another count."


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
                raise Wrong(f"entrances from above must not count: {told} expected {wanted}, got {_plain(h[1])}")
            if h[1] == sum(b >= 0 > a for a, b in pairs):
                raise Wrong(
                    f"a jump from below 0 to above 1 is no entrance: {told} expected {wanted}, got {_plain(h[1])}"
                )
            if h[1] == sum(0 < b < 1 and a < 0 for a, b in pairs):
                raise Wrong(f"both ends belong to the interval: {told} expected {wanted}, got {_plain(h[1])}")
            raise Wrong(f"{told} expected {wanted}, got {_plain(h[1])}")
    return "One bit would not do here: outside comes in two kinds, below and above."


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
            told = f"after {', '.join(map(str, x[:t]))} there were {wanted} crossings, got {_plain(c)}"
            if c == _entrances(x[:t]):
                raise Wrong(f"leaving is a crossing too: {told}")
            if c == sum(map(_inside, x[:t])):
                raise Wrong(f"staying inside is no crossing: {told}")
            raise Wrong(told)
    return "Whether the series is inside now is written in the number itself: it is, when the number is odd."


def _counted(answer: object, length: int) -> tuple:
    """The state as a tuple whose last part, the count, is a number."""
    *kept, count = parts(answer, length, "the state")
    return *kept, number(count, "the count")


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value


@exercise
def stays(W: object, U: object, b: object, R: object) -> str:
    """W (3), U (3, 3), b (3), R (3): three ReLUs that read the mark m_t, and R h_t counts the stays that are over."""
    w_, u_, b_, r_ = (
        tensor(_flat(W), 3, what="W"),
        tensor(U, 3, 3, what="U"),
        tensor(b, 3, what="b"),
        tensor(_flat(R), 3, what="R"),
    )
    for seed, (batch, steps) in enumerate(((64, 7), (33, 41))):
        draw = torch.Generator().manual_seed(seed)
        marks = (torch.rand(batch, steps, generator=draw) < 0.5).float()
        if seed == 0:  # every row of seven marks that begins with 0, then every one that begins with 1
            marks = torch.tensor(list(itertools.product([0.0, 1.0], repeat=steps)))
        said = _read(marks, w_, u_, b_, r_)
        entered = crossings.entrances(0.5 * marks + 2 * (1 - marks))
        left = entered - marks.long()
        _named(said, left, entered, marks)
    return "The series has left the band as often as it has entered it, less one while it is inside; no counting twice."


def _flat(values: object) -> object:
    """A row or a column of three as three values."""
    try:
        return (
            torch.as_tensor(values, dtype=torch.float32).flatten()
            if not isinstance(values, Tensor)
            else values.flatten()
        )
    except (TypeError, ValueError, RuntimeError):
        return values


def _read(marks: Tensor, W: Tensor, U: Tensor, b: Tensor, R: Tensor) -> Tensor:
    """What the layer says after every step, (B, T), from a state of zeros."""
    h, said = torch.zeros(len(marks), 3), []
    for mark in marks.unbind(dim=1):
        h = torch.relu(mark[:, None] * W + h @ U.T + b)
        said.append(h @ R)
    return torch.stack(said, dim=1)


def _named(said: Tensor, left: Tensor, entered: Tensor, marks: Tensor) -> None:
    """Nothing where `said` is the number of exits at every step; else `Wrong`, by name where the mistake has one."""
    if torch.allclose(said, left.float(), rtol=1e-3, atol=1e-3):
        return
    late = torch.nn.functional.pad(left, (1, 0))[:, :-1]
    mistakes = {
        "this counts entrances; a stay counts once it is over": entered,
        "this counts steps inside, not stays": marks.cumsum(dim=1),
        "this counts steps outside, not stays": (1 - marks).cumsum(dim=1),
        "each stay is counted one step too late: add what ends now to what ended before": late,
        "this counts crossings, in both directions": entered + left,
        "this says whether a stay ends now and forgets the earlier ones: a third unit has to hold them": left - late,
        "the count is zero throughout: does any unit ever become positive?": torch.zeros_like(left),
    }
    for says, mistaken in mistakes.items():
        if torch.allclose(said, mistaken.float(), rtol=1e-3, atol=1e-3):
            raise Wrong(says)
    row, step = (said - left).abs().gt(1e-3).nonzero()[0].tolist()
    seen = ", ".join(f"{mark:.0f}" for mark in marks[row, : step + 1].tolist())
    raise Wrong(
        f"after the marks {seen} there are {left[row, step]} stays that are over, and R h says {said[row, step]:.3g}"
    )
