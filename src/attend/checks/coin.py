"""Exercises of the page on coin flips."""

import itertools
from collections.abc import Callable

from attend.checks.answers import parts, single
from attend.checks.exercise import Wrong, exercise


@exercise
def stream(joined: Callable) -> str:
    """joined((heads, flips), x) -> (heads, flips): one flip joins the summary."""
    for (heads, flips), x in [((3, 5), 1), ((3, 5), 0), ((0, 0), 1), ((0, 0), 0)]:
        got = tuple(map(single, parts(joined((heads, flips), x), 2)))
        if got == (heads + x, flips):
            raise Wrong("the number of flips must grow too: without it, 3 heads of 5 and 300 of 500 look alike")
        if got == (heads + 1, flips + 1) and x == 0:
            raise Wrong("tails must not count as heads: after (3, 5) and tails the summary is (3, 6)")
        if got != (heads + x, flips + 1):
            raise Wrong(f"from ({heads}, {flips}) and x = {x}, got {got}, expected ({heads + x}, {flips + 1})")
    return "The new summary needs only the old one and the new flip."


@exercise
def sticky(joined: Callable) -> str:
    """joined((repeats, flips, last), x) -> (repeats, flips, last), beginning at (0, 0, None)."""
    for series in itertools.product((0, 1), repeat=5):
        summary = (0, 0, None)
        for t, x in enumerate(series):
            summary = tuple(map(single, parts(joined(summary, x), 3)))
            wanted = sum(a == b for a, b in itertools.pairwise(series[: t + 1]))
            if summary[2] != x:
                raise Wrong(f"the last flip must be kept: after {x} came in, the summary says {summary[2]}")
            if summary[1] != t + 1:
                raise Wrong(f"the number of flips must grow by one: after flip {t + 1} it is {summary[1]}")
            if t == 0 and summary[0] != 0:
                raise Wrong("the first flip repeats nothing: there is no flip before it")
            if summary[0] != wanted:
                seen = "".join("TH"[flip] for flip in series[: t + 1])
                raise Wrong(f"{seen} holds {wanted} repeats, got {summary[0]}")
    return "Order matters here, and one kept flip is enough to notice it."


@exercise
def merge(merged: Callable) -> str:
    """merged((m1, n1), (m2, n2)) -> (m, n): the summary of both streams together."""
    for (m1, n1), (m2, n2) in [((0.5, 4), (0.5, 8)), ((1.0, 1), (0.0, 3)), ((0.25, 4), (0.6, 10))]:
        mean, count = map(single, parts(merged((m1, n1), (m2, n2)), 2))
        if count != n1 + n2:
            raise Wrong(f"the flips add up: {n1} and {n2} are {n1 + n2}, got {count}")
        wanted = (m1 * n1 + m2 * n2) / (n1 + n2)
        if abs(mean - wanted) > 1e-9:
            if abs(mean - (m1 + m2) / 2) < 1e-9:
                raise Wrong("the plain average of the means forgets that they stand on different numbers of flips")
            raise Wrong(f"from ({m1}, {n1}) and ({m2}, {n2}), got a mean of {mean}, expected {wanted}")
    return "Sufficient summaries can be merged without the flips they came from."
