import pytest
import torch

from attend.tasks import geyser


def test_the_moments_are_those_that_r_gives():
    duration, wait = geyser.eruptions()
    assert duration.shape == wait.shape == (272,)
    assert duration.dtype == wait.dtype == torch.float32
    assert [duration.mean().item(), duration.std().item()] == pytest.approx([3.487783, 1.141371], rel=1e-5)
    assert [wait.mean().item(), wait.std().item()] == pytest.approx([70.89706, 13.59497], rel=1e-5)
    assert torch.corrcoef(torch.stack([duration, wait]))[0, 1].item() == pytest.approx(0.9008112, rel=1e-5)


def test_the_example_shows_the_first_rows():
    assert geyser.example().startswith("3.6 min → 79 min, 1.8 min → 54 min")
