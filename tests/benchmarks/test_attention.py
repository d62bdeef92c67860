"""What is timed on both sides is the same function, in value and in every gradient."""

import pytest
import torch
from benchmarks.attention import BASE, LENGTHS, PASSES, UNITS, Attending, cases


@pytest.mark.nightly
@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("does", PASSES)
def test_both_sides_give_the_same(unit, does):
    ours, theirs = (run() for run in Attending(unit, does, B=3, T=7, H=5).runs())
    assert ours.shape == ((1, 3, 7, 5) if does == "forward" else (3, 3, 7, 5))
    assert ours.abs().min() > 0
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_every_way_is_timed_at_every_length_and_in_every_pass():
    listed = list(cases())
    assert len(listed) == len(set(listed)) == len(UNITS) * len(PASSES) * len(LENGTHS)
    assert {(case.B, case.T) for case in listed} == {(B, T) for T, B in LENGTHS.items()}
    assert LENGTHS[BASE["T"]] == BASE["B"]
