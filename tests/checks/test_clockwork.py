"""Each checker knows the solution, the typical wrong answers and the stub."""

import pytest
from tests.checks.verdicts import accepts, refuses

from attend.checks import clockwork


def ok_hops(lag, delay):
    return lag // delay + lag % delay


def ok_keep(h, new, t, periods):
    return [b if t % p == 0 else a for a, b, p in zip(h, new, periods, strict=True)]


def ok_share(periods):
    return sum(1 / p for p in periods) / len(periods)


ANSWERS = [(clockwork.hops, ok_hops), (clockwork.keep, ok_keep), (clockwork.share, ok_share)]


@pytest.mark.parametrize(("check", "answer"), ANSWERS)
def test_solution_and_stub(check, answer):
    accepts(check, answer)


@pytest.mark.parametrize(
    ("check", "answer", "says"),
    [
        (clockwork.hops, lambda lag, d: lag, "saves 9 small ones"),
        (clockwork.hops, lambda lag, d: lag // d, "leave 7 steps to go"),
        (clockwork.hops, lambda lag, d: -(-lag // d), "land too far back"),
        (clockwork.hops, lambda lag, d: 3, "expected 10"),
        (clockwork.hops, lambda lag, d: lag / d, "whole number"),
        (clockwork.hops, lambda lag, d: lag[0], "stopped with TypeError"),
        (clockwork.keep, lambda h, new, t, ps: new, "at step 1 the periods [1] tick"),
        (clockwork.keep, lambda h, new, t, ps: h, "at step 0 it is the wrong way round"),
        (clockwork.keep, lambda h, new, t, ps: ok_keep(new, h, t, ps), "wrong way round"),
        (clockwork.keep, lambda h, new, t, ps: ok_keep([0] * 4, new, t, ps), "must keep what they hold"),
        (clockwork.keep, lambda h, new, t, ps: ok_keep(h, new, t + 1, ps), "every clock ticks"),
        (clockwork.keep, lambda h, new, t, ps: 7, "one value a group"),
        (clockwork.share, lambda ps: sum(1 / p for p in ps), "divide by their number"),
        (clockwork.share, lambda ps: len(ps) / sum(ps), "average the rates"),
        (clockwork.share, lambda ps: 1 - ok_share(ps), "that rests"),
        (clockwork.share, lambda ps: 1 / len(ps), "expected"),
        (clockwork.share, lambda ps: "a half", "must be a number"),
    ],
)
def test_wrong_answers_are_named(check, answer, says):
    refuses(check, answer, says=says)
