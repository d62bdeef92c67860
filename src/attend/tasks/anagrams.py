"""Numbers that are said with the same English words in another order, as 203 and 302 are.

Who hears the words and not their order can but guess among them.
"""

from functools import cache

import numpy as np

from attend.core.expect import checked, expect
from attend.tasks.numbers import ENGLISH, english

_AND, _THOUSAND, _MILLION = (ENGLISH.index(word) for word in ("and", "thousand", "million"))


@checked
@cache
def alike(n: int) -> tuple[int, ...]:
    """The numbers below a billion that are said with just the words of `n`, itself among them, from the smallest.

    A number is three groups of up to three digits, "… million … thousand …". All pairs of what the first two groups
    may be are tried at once, and the words that they leave are looked up among those of the last. Raises ValueError
    below 0 and from 10⁹ on.
    """
    expect(0 <= n < 10**9, "n", n, "a whole number from 0 to 999,999,999")
    if n == 0:
        return (0,)
    words = _counts(english(n))
    millions, thousands = bool(words[_MILLION]), bool(words[_THOUSAND])
    words[[_MILLION, _THOUSAND]] = 0
    counts, codes, after = _groups()
    fits = 1 + np.flatnonzero((counts[1:] <= words).all(axis=1))
    first, second = (fits if there else np.zeros(1, int) for there in (millions, thousands))
    last = after if millions or thousands else codes
    order = np.argsort(last)
    left = (_code(words[None]) - codes[first, None] - codes[second]).ravel()
    starts, ends = (np.searchsorted(last[order], left, side) for side in ("left", "right"))
    head = (first[:, None] * 10**6 + second * 10**3).ravel()
    found = [head[i] + order[k] for i in np.flatnonzero(ends > starts) for k in range(starts[i], ends[i])]
    return tuple(sorted(int(m) for m in found))


def _counts(words: tuple[str, ...]) -> np.ndarray:
    """How often each word of the vocabulary is said."""
    return np.bincount([ENGLISH.index(word) for word in words], minlength=len(ENGLISH))


@cache
def _groups() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The words of 0 (none) to 999: as counts (1000, V), as codes, and as codes where they stand last.

    After millions or thousands a number below a hundred begins with "and".
    """
    counts = np.stack([_counts(english(n)) if n else np.zeros(len(ENGLISH), int) for n in range(1_000)])
    after = counts.copy()
    after[1:100, _AND] += 1
    return counts, _code(counts), _code(after)


def _code(counts: np.ndarray) -> np.ndarray:
    """A whole number for each row of counts, such that a sum of rows has the sum of their codes (modulo 2⁶⁴)."""
    weights = np.random.default_rng(0).integers(0, 2**63, len(ENGLISH), dtype=np.uint64)
    return (counts.astype(np.uint64) * weights).sum(axis=1, dtype=np.uint64)
