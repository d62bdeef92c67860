"""What is timed on both sides is the same function, in value and in every gradient."""

import pytest
import torch
from benchmarks.transformers import BASE, LENGTHS, PASSES, UNITS, Layer, cases


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("does", PASSES)
def test_both_sides_give_the_same(unit, does):
    ours, theirs = (run() for run in Layer(unit, does, B=3, T=7, H=128).runs())
    assert ours.shape == (3, 7, 128)
    assert ours.abs().max() > 0
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-5)


def test_heads_are_64_wide():
    ours, theirs, *_ = Layer("multi-head", "forward", B=1, T=2, H=256).build()
    assert ours.num_heads == theirs.num_heads == 4


def test_every_unit_is_timed_at_every_length_and_in_every_pass():
    listed = list(cases())
    assert len(listed) == len(set(listed)) == len(UNITS) * len(PASSES) * len(LENGTHS)
    assert {(case.B, case.T) for case in listed} == {(B, T) for T, B in LENGTHS.items()}
    assert LENGTHS[BASE["T"]] == BASE["B"]
