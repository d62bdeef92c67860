"""BERT at other widths: the same network, and what is compared."""

import pytest

from attend.recipes.bert_sizes import RATE, TUNING_RATES, WIDTHS, SizedBertRecipe


def test_widths_and_rates():
    assert set(RATE) == set(WIDTHS)
    assert all(rate in TUNING_RATES for rate in RATE.values())


@pytest.mark.parametrize("width", WIDTHS)
def test_a_width_is_that_of_the_model(width):
    assert SizedBertRecipe(d_model=width).build().d_model == width
