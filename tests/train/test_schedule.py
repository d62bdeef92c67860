"""The rate rises for a tenth of the steps and then falls."""

import pytest
import torch

from attend.train import schedule
from attend.train.schedule import one_cycle


def test_the_rate_rises_to_that_of_the_optimiser_and_falls_to_nothing():
    optimiser = torch.optim.Adam([torch.zeros(1, requires_grad=True)], lr=0.02)
    schedule, rates = one_cycle(optimiser, 100), []
    for _ in range(100):
        optimiser.step()
        schedule.step()
        rates.append(optimiser.param_groups[0]["lr"])
    top = max(range(100), key=rates.__getitem__)
    assert rates[top] == pytest.approx(0.02, rel=1e-3)
    assert top + 1 == pytest.approx(10, abs=1)
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)
    assert rates[-1] < 1e-5


def test_no_steps_are_refused():
    with pytest.raises(ValueError, match="steps: got 0"):
        one_cycle(torch.optim.SGD([torch.zeros(1)], lr=0.1), 0)


@pytest.mark.parametrize("steps", [n for n in range(1, 21) if n != 9])
def test_so_few_steps_can_be_gone(steps):
    optimiser = torch.optim.SGD([torch.zeros(1)], lr=0.1)
    schedule = one_cycle(optimiser, steps)
    for _ in range(steps):
        optimiser.step()
        schedule.step()
        assert 0 <= optimiser.param_groups[0]["lr"] < 0.101


def test_nine_are_refused():
    with pytest.raises(ValueError, match="steps: got 9"):
        one_cycle(torch.optim.SGD([torch.zeros(1)], lr=0.1), 9)


def calls():
    def scheduled():
        return {"optimiser": torch.optim.SGD([torch.zeros(1)], lr=0.1), "steps": 3}

    return {
        schedule.one_cycle: scheduled,
    }
