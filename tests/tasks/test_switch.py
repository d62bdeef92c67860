"""The switch follows the last pulse, and what is held is the last number that was taken."""

import pytest
import torch

from attend.tasks.switch import NOISE, RATE, age, hold, light, sample


def test_the_light_follows_the_last_pulse_and_starts_off():
    x = torch.tensor([[0.1, 1, 0.2, -0.3, -1, 0, 1, 1], [-1, 0.1, 0, 0.4, 0.2, -0.1, 0, 0.3]])
    assert light(x).int().tolist() == [[0, 1, 1, 1, 0, 0, 1, 1], [0] * 8]
    assert age(x).tolist() == [[8, 0, 1, 2, 0, 1, 0, 0], [0, 1, 2, 3, 4, 5, 6, 7]]


def test_streams_have_their_share_of_pulses_of_both_signs_and_noise_between():
    x, on = sample(200, 500, torch.Generator().manual_seed(0))
    pulses = x[x.abs() == 1]
    assert len(pulses) / x.numel() == pytest.approx(RATE, rel=0.05)
    assert pulses.mean().item() == pytest.approx(0, abs=0.05)
    assert x[x.abs() != 1].std().item() == pytest.approx(NOISE, rel=0.05)
    assert torch.equal(on, light(x[:, :, 0]))


def test_a_number_is_held_until_the_next_is_taken():
    x, held, old = hold(50, 80, torch.Generator().manual_seed(1))
    number, take = x.unbind(2)
    for b in range(50):
        last = 0.0
        for t in range(80):
            last = number[b, t].item() if take[b, t] else last
            assert held[b, t].item() == last
    assert (held[take == 1] == number[take == 1]).all()
    assert (old[take == 1] == 0).all()


def calls():
    DRAW = {"batch": 2, "steps": 5, "generator": torch.Generator()}
    return {sample: DRAW, hold: DRAW, light: {"x": torch.ones(2, 5)}, age: {"x": torch.ones(2, 5)}}
