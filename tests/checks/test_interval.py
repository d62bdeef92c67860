"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
from tests.checks.verdicts import accepts, refuses

from attend.checks import interval


def inside(x):
    return 0 <= x <= 1


RIGHT = {
    interval.update: lambda h, x: (x, h[1] + (inside(x) and not inside(h[0]))),
    interval.upward: lambda h, x: (x, h[1] + (inside(x) and h[0] < 0)),
    interval.stay: lambda h, x: ((h[0] + 1 if inside(x) else 0), max(h[1], h[0] + 1 if inside(x) else 0)),
    interval.single: lambda c, x: c + (inside(x) != c % 2),
}

WRONG = {
    "must be kept as the last one": (interval.update, lambda h, x: (h[0], h[1] + (inside(x) and not inside(h[0])))),
    "staying inside is no entrance": (interval.update, lambda h, x: (x, h[1] + inside(x))),
    "leaving is no entrance": (interval.update, lambda h, x: (x, h[1] + (inside(x) != inside(h[0])))),
    "is not inside": (interval.update, lambda h, x: (x, h[1] + (x <= 1 and not inside(h[0])))),
    "both ends belong": (interval.update, lambda h, x: (x, h[1] + (0 < x < 1 and not inside(h[0])))),
    "from above counts as well": (interval.update, lambda h, x: (x, h[1] + (inside(x) and h[0] < 0))),
    "must grow by 0, got 7": (interval.update, lambda h, x: (x, h[1] + 7)),
    "as in a tuple": (interval.update, lambda h, x: x),
    "must be 2 values, got 3": (interval.update, lambda h, x: (x, 0, 0)),
    "the count must be a number": (interval.update, lambda h, x: (x, "1")),
    "entrances from above must not": (interval.upward, RIGHT[interval.update]),
    "a jump from below 0 to above 1": (interval.upward, lambda h, x: (x, h[1] + (x >= 0 > h[0]))),
    "expected 0, got -1": (interval.upward, lambda h, x: (x, h[1] - 1)),
    "a stay ends when": (interval.stay, lambda h, x: (h[0] + inside(x), max(h[1], h[0] + inside(x)))),
    "must never be forgotten": (interval.stay, lambda h, x: (h[0] + 1, h[0] + 1) if inside(x) else (0, 0)),
    "a stay that still lasts counts": (
        interval.stay,
        lambda h, x: (h[0] + 1, h[1]) if inside(x) else (0, max(h)),
    ),
    "the longest stay is 0, got 2": (interval.stay, lambda h, x: (0, 2)),
    "leaving is a crossing too": (interval.single, lambda c, x, seen=[]: entrances_only(c, x, seen)),
    "staying inside is no crossing": (interval.single, lambda c, x: c + (inside(x) or c % 2)),
    "there were 0 crossings, got 1": (interval.single, lambda c, x: c + 1),
}


def entrances_only(c, x, seen):
    if c == 0 and not inside(x):
        seen.clear()
    was = bool(seen) and inside(seen[-1]) and c > 0
    seen.append(x)
    return c + (inside(x) and not was)


@pytest.mark.parametrize(("check", "answer"), RIGHT.items())
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize("says", WRONG)
def test_wrong_answers_are_named(says):
    refuses(*WRONG[says], says=says)


def test_an_upward_count_may_keep_a_word():
    def stepped(h, x):
        side = "in" if inside(x) else "below" if x < 0 else "above"
        return side, h[1] + (side == "in" and h[0] in ("below", -1))

    assert interval.upward(stepped).state == "right"
