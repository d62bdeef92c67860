"""The figure computes what torch computes, and is used by keyboard, touch and in the dark."""

import pytest
import torch

from attend.live.window import WindowFigure


def calls():
    return {WindowFigure: {"slope": 0.5}}


@pytest.mark.parametrize("x", [-1.0, 0.0, 0.7])
def test_same_as_torch(compute, x):
    got = compute(WindowFigure(0.5))({"x": x})
    assert got["y"] == pytest.approx((0.5 * torch.tensor(x)).item(), abs=1e-6)


def test_the_slider_moves_the_point(mount):
    shown = mount(WindowFigure(2.0))
    shown.root.get_by_role("slider", name="x").press("ArrowRight")
    assert shown.value() == pytest.approx({"x": 0.55, "y": 1.1})


def test_a_phone_in_the_dark(mount):
    shown = mount(WindowFigure(), width=360, theme="dark", has_touch=True)
    assert shown.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_slope_out_of_range_is_refused_by_name():
    with pytest.raises(ValueError, match="slope: got 3"):
        WindowFigure(3.0)
