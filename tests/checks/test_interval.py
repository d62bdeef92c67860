"""Each checker knows the solution, other right answers, the typical wrong ones and the stub."""

import numpy as np
import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import interval


def inside(x):
    return 0 <= x <= 1


RIGHT = {
    interval.upward: lambda h, x: (x, h[1] + (inside(x) and h[0] < 0)),
    interval.single: lambda c, x: c + (inside(x) != c % 2),
}
W, U, b, R = [1.0, -1.0, 0.0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]], [0.0, 0.0, 0.0], [0.0, 1.0, 1.0]
NONE = [[0.0] * 3] * 3

WRONG = {
    "was inside already": (interval.walk, (1, 7)),
    "added to the 4": (interval.walk, (1, 2)),
    "both entrances": (interval.walk, (1, 5)),
    "not 8": (interval.walk, (1, 8)),
    "keeps no inputs": (interval.walk, (0.5, 6)),
    "is inside": (interval.walk, (0, 6)),
    "must be 2 values": (interval.walk, (1, 6, 0)),
    "entrances from above must not": (interval.upward, lambda h, x: (x, h[1] + (inside(x) and not inside(h[0])))),
    "a jump from below 0 to above 1": (interval.upward, lambda h, x: (x, h[1] + (x >= 0 > h[0]))),
    "both ends belong": (interval.upward, lambda h, x: (x, h[1] + (0 < x < 1 and h[0] < 0))),
    "expected 0, got -1": (interval.upward, lambda h, x: (x, h[1] - 1)),
    "as in a tuple": (interval.upward, lambda h, x: x),
    "the count must be a number": (interval.upward, lambda h, x: (x, "1")),
    "leaving is a crossing too": (interval.single, lambda c, x: c + (inside(x) and c == 0)),
    "staying inside is no crossing": (interval.single, lambda c, x: c + (inside(x) or c % 2)),
    "there were 0 crossings, got 1": (interval.single, lambda c, x: c + 1),
    "counts entrances": (interval.stays, ([1.0, 1.0, 0.0], [NONE[0], [-1.0, 0, 0], [0, 1.0, 1.0]], b, R)),
    "counts steps inside": (interval.stays, ([1.0, 0, 0], [[1.0, 0, 0], *NONE[:2]], b, [1.0, 0, 0])),
    "counts steps outside": (interval.stays, ([-1.0, 0, 0], [[1.0, 0, 0], *NONE[:2]], [1.0, 0, 0], [1.0, 0, 0])),
    "one step too late": (interval.stays, (W, U, b, [0.0, 0.0, 1.0])),
    "forgets the earlier ones": (interval.stays, (W, U, b, [0.0, 1.0, 0.0])),
    "zero throughout": (interval.stays, ([0.0] * 3, NONE, b, R)),
    "R h says": (interval.stays, ([1.0, 0.5, 0.0], torch.eye(3), b, R)),
    "shape (3, 3)": (interval.stays, (W, W, b, R)),
}


@pytest.mark.parametrize(("check", "answer"), RIGHT.items())
def test_solution_and_stub(check, answer):
    accepts(check, answer)


def test_solutions_that_are_numbers():
    accepts(interval.walk, (1, 6))
    accepts(interval.stays, W, U, b, R)


def test_unusual_right_answers_are_right():
    for state in ([True, 6], torch.tensor([1, 6]), np.array([1.0, 6.0]), (np.bool_(True), np.int64(6))):
        assert interval.walk(state).state == "right", state
    scaled = (
        [[2.0], [-3.0], [0.0]],
        np.array([[0, 0, 0], [1.5, 0, 0], [0, 1, 1.0]]),
        torch.zeros(3),
        [[0, 1 / 3, 1 / 3]],
    )
    assert interval.stays(*scaled).state == "right"
    assert interval.stays(*(torch.tensor(part, dtype=torch.float64) for part in (W, U, b, R))).state == "right"
    assert interval.single(lambda c, x: torch.tensor(c + (inside(x) != c % 2))).state == "right"


@pytest.mark.parametrize("says", WRONG)
def test_wrong_answers_are_named(says):
    check, answer = WRONG[says]
    refuses(check, *(answer if check is interval.stays else [answer]), says=says)


def test_an_upward_count_may_keep_a_word():
    def stepped(h, x):
        side = "in" if inside(x) else "below" if x < 0 else "above"
        return side, h[1] + (side == "in" and h[0] in ("below", -1))

    assert interval.upward(stepped).state == "right"
