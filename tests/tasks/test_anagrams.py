from itertools import product

import pytest

from attend.tasks import anagrams
from attend.tasks.anagrams import alike
from attend.tasks.numbers import english


def tried(n):
    """Every number whose groups use no other words than `n` does, one by one."""
    words = sorted(english(n))
    groups = [g for g in range(1, 1_000) if set(english(g)) <= set(words)] + [0]
    firsts, seconds = (groups if scale in words else [0] for scale in ("million", "thousand"))
    all_of_them = (a * 10**6 + b * 10**3 + c for a, b, c in product(firsts, seconds, groups))
    return tuple(sorted(m for m in all_of_them if sorted(english(m)) == words))


@pytest.mark.parametrize("n", [0, 7, 42, 120, 203, 302, 999, 1_000, 2_042, 5_005, 42_002, 70_017, 203_302, 3_000_000])
def test_the_same_as_trying_finds(n):
    assert alike(n) == tried(n)


def test_millions():
    assert alike(1_002_003) == tried(1_002_003)
    assert len(alike(1_002_003)) == 6
    assert alike(40_007_000) == tried(40_007_000)


def test_orders_share_their_numbers():
    assert alike(203) == (203, 302)
    assert alike(123_456) == alike(321_456)
    assert len(alike(123_456)) == 48


def test_what_is_no_such_number_is_refused():
    for n in (-1, 10**9):
        with pytest.raises(ValueError, match=r"n: got"):
            alike(n)


def calls():
    return {
        anagrams.alike: {"n": 203},
    }


def good():
    return {
        anagrams.alike: {"n": {"zero"}},
    }
