"""The committed weights are those of the recipe, and do what the page says of them."""

import pytest
import torch

from attend.recipes.clockwork import SEEDS
from attend.recipes.delays import DELAYS, ForecastRecipe
from attend.tasks import forecast


def errors(delay):
    x, wanted = forecast.autumn()
    with torch.no_grad():
        return [forecast.cost(ForecastRecipe(delay, s).load()(x)[0], wanted).item() for s in SEEDS]


def test_a_fitting_delay_beats_none_and_a_misfit_does_not():
    none, fitting, misfit = (errors(delay) for delay in DELAYS)
    assert max(fitting) < 0.1 * min(none)
    assert min(misfit) > 0.9 * min(none)


def test_all_have_about_the_same_number_of_weights():
    assert [ForecastRecipe(delay).build().weights for delay in DELAYS] == [155, 153, 153]


def test_a_short_training_is_repeatable_and_learns():
    runs = [ForecastRecipe(steps=30).train() for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert runs[0][1].losses[-1] < 0.7 * runs[0][1].losses[0]


def test_an_unknown_delay_is_refused():
    with pytest.raises(ValueError, match="delay: got 7"):
        ForecastRecipe(7)
