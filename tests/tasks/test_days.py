"""Windows of real days: the right days, the right band, and 2015 kept apart."""

import pytest
import torch

from attend.tasks import crossings, days, temperature


def seeded(seed=0):
    return torch.Generator().manual_seed(seed)


def windows(which, part, steps=60):
    return temperature.daily(which).celsius.float()[part].unfold(0, steps, 1)


def test_held_out_windows_are_those_of_2015():
    x, counts = days.held_out()
    expected = torch.cat([windows(which, slice(1096, None)) for which in ("high", "low")])
    torch.testing.assert_close(x[:, :, 0] * 5 + 10, expected)
    assert torch.equal(counts, crossings.entrances(x[:, :, 0]))
    assert len(x) == 2 * (365 - 60 + 1)


def test_the_band_moves_and_the_days_do_not():
    x, counts = days.sample(200, generator=seeded())
    assert torch.equal(counts, crossings.entrances(x[:, :, 0]))
    known = torch.cat([windows(which, slice(1096)).diff(dim=1) for which in ("high", "low")])
    steps = 5 * x[:, :, 0].diff(dim=1)
    nearest, which = torch.cdist(steps, known, compute_mode="donot_use_mm_for_euclid_dist").min(dim=1)
    assert nearest.max() < 1e-3  # every window is one of 2012 to 2014, moved up or down as a whole
    low = torch.cat([windows(kind, slice(1096)) for kind in ("high", "low")])[which] - 5 * x[:, :, 0]
    assert low.min() > -0.01
    assert low.max() < 20.01
    assert low[:, 0].std() > 4


def test_a_draw_can_be_repeated():
    first, second = (days.sample(8, generator=seeded(3)) for _ in range(2))
    assert torch.equal(first[0], second[0])
    assert not torch.equal(first[0], days.sample(8, generator=seeded(4))[0])


def test_the_example_can_be_read():
    lines = days.example().splitlines()
    assert lines[0].startswith("°C")
    assert lines[1].startswith("count")
    assert len(lines[0].split()) == len(lines[1].split()) == 11


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: days.sample(0), "batch: got 0"),
        (lambda: days.sample(1, steps=1097), "steps: got 1097"),
        (lambda: days.held_out(steps=366), "steps: got 366"),
        (lambda: days.held_out(low=1e9), "low: got"),
    ],
)
def test_what_the_records_do_not_hold_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def calls():
    return {
        days.sample: {"batch": 2, "steps": 4, "generator": torch.Generator()},
        days.held_out: {"steps": 4, "low": 10.0},
    }
