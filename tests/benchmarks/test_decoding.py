"""With and without what was computed before, the same words are written."""

import torch
from benchmarks.decoding import BASE, LENGTHS, Decoding, cases


def test_both_sides_write_the_same_words():
    ours, theirs = (run() for run in Decoding("greedy", "forward", B=3, T=6, H=16).runs())
    assert ours.shape == (3, 6)
    assert len(ours.unique()) > 3
    assert torch.equal(ours, theirs)


def test_every_length_is_timed():
    assert [case.T for case in cases()] == list(LENGTHS)
    assert BASE["T"] in LENGTHS
