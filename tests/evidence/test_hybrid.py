"""What page hybrid measures is what its sentences are about."""

from itertools import pairwise

from attend.evidence.hybrid import DIGITS, LENGTHS, repeating, strings
from attend.tasks import speech


def test_every_length_has_as_many_digits_and_the_longest_more_than_a_thousand_states():
    for length in LENGTHS[:-1]:
        assert sum(map(len, speech.said(strings(length, 10)))) == DIGITS
    assert int(strings(LENGTHS[-1], 10).mask.sum(1).min()) > 2_000


def test_repeating_strings_are_as_long_as_in_training_and_all_repeat():
    texts = speech.said(repeating(10))
    assert len(texts) > 50
    assert all(len(text) == 5 and any(a == b for a, b in pairwise(text)) for text in texts)
