"""What is timed on both sides is the same function, in value and in every gradient."""

import pytest
import torch
from benchmarks.recurrent import PASSES, UNITS, Sequence, cases


@pytest.mark.parametrize("unit", UNITS)
def test_both_sides_compute_the_same(unit):
    ours, theirs, x = Sequence(unit, "forward+backward", B=3, T=7, H=5).build()
    mine, other = ours(x)[0], theirs(x)[0]
    assert torch.allclose(mine, other, atol=1e-5)
    weigh = torch.randn(mine.shape, generator=torch.Generator().manual_seed(1))
    a = torch.autograd.grad(
        (mine * weigh).sum(), (x, ours.from_input.weight, ours.from_hidden.weight, ours.from_input.bias)
    )
    b = torch.autograd.grad((other * weigh).sum(), (x, theirs.weight_ih_l0, theirs.weight_hh_l0, theirs.bias_ih_l0))
    for mine, other in zip(a, b, strict=True):
        assert torch.allclose(mine, other, atol=1e-4)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("does", PASSES)
@pytest.mark.filterwarnings("ignore:TF32 acceleration")
def test_both_runs_give_what_their_pass_is_for(unit, does):
    for fused in (True, False):
        a, b = (run() for run in Sequence(unit, does, B=2, T=4, H=3, fused=fused).runs())
        assert torch.allclose(a, b, atol=1e-5)
        assert a.shape == (2, 4, 3)
        assert a.abs().sum() > 0


def test_every_unit_is_timed_at_every_size_and_in_every_pass():
    listed = list(cases())
    assert len(listed) == len(set(listed))
    sizes = {(case.B, case.T, case.H) for case in listed}
    assert (64, 100, 128) in sizes
    assert len({T for _, T, _ in sizes}) >= 4
    assert len({H for *_, H in sizes}) >= 4
    for size in sizes:
        there = {(case.unit, case.does) for case in listed if size == (case.B, case.T, case.H) and case.fused}
        assert there == {(unit, does) for unit in UNITS for does in PASSES}
