"""What is timed on both sides is the same loss, in value and gradient."""

import pytest
import torch
from benchmarks.ctc import BASE, LENGTHS, UNITS, Loss, cases


@pytest.mark.parametrize("unit", UNITS)
def test_both_sides_give_the_same(unit):
    ours, theirs = (run() for run in Loss(unit, "forward+backward", B=2, T=60, H=9).runs())
    assert ours[1].abs().max() > 0.1
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-4)


def test_every_way_is_timed_at_every_length():
    assert {(case.unit, case.T) for case in cases()} == {(unit, T) for unit in UNITS for T in LENGTHS}
    assert BASE["T"] in LENGTHS
