"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
from tests.checks.verdicts import accepts, refuses

from attend.checks import coin


def ok_stream(s, x):
    return s[0] + x, s[1] + 1


def ok_sticky(s, x):
    return s[0] + (x == s[2]), s[1] + 1, x


def ok_merge(a, b):
    n = a[1] + b[1]
    return (a[0] * a[1] + b[0] * b[1]) / n, n


@pytest.mark.parametrize(
    ("check", "answer"), [(coin.stream, ok_stream), (coin.sticky, ok_sticky), (coin.merge, ok_merge)]
)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (coin.stream, lambda s, x: (s[0] + x, s[1]), "number of flips must grow"),
        (coin.stream, lambda s, x: (s[0] + 1, s[1] + 1), "tails must not count"),
        (coin.stream, lambda s, x: s[0] + x, "2 values"),
        (coin.stream, lambda s, x: (s[0] + x, s[1] + 1, 0), "got 3"),
        (coin.stream, lambda s, x: (x, s[1] + 1), "expected (4, 6)"),
        (coin.stream, lambda s, x: s[9], "stopped with IndexError"),
        (coin.sticky, lambda s, x: (s[0] + (x == s[2]), s[1] + 1, None), "last flip must be kept"),
        (coin.sticky, lambda s, x: (s[0] + (x == s[2]), s[1], x), "grow by one"),
        (coin.sticky, lambda s, x: (s[0] + 1, s[1] + 1, x), "repeats nothing"),
        (coin.sticky, lambda s, x: (s[0] + x * (s[2] or 0), s[1] + 1, x), "TT holds 1 repeats"),
        (coin.merge, lambda a, b: ((a[0] + b[0]) / 2, a[1] + b[1]), "plain average"),
        (coin.merge, lambda a, b: (a[0], a[1]), "the flips add up"),
        (coin.merge, lambda a, b: (a[0], a[1] + b[1]), "expected 0.25"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
