"""What page clockwork measures is what its sentences are about."""

import pytest
import torch

from attend.evidence.clockwork import gradient_left, without
from attend.memory.clockwork import Clockwork
from attend.memory.delays import Delayed
from attend.recipes.clockwork import WaveRecipe


def test_nothing_of_a_gradient_is_lost_where_no_clock_ticks():
    torch.manual_seed(0)
    left = gradient_left(Clockwork(8, 4, (1_000,)).double(), back=20, batch=3)
    torch.testing.assert_close(left, torch.ones(21, dtype=torch.float64))


def test_a_gradient_comes_back_through_the_whole_delay_line():
    torch.manual_seed(0)
    layer = Delayed(8, 4, 5).double()
    torch.nn.init.zeros_(layer.from_hidden.weight)
    with torch.no_grad():
        layer.from_delayed.weight.copy_(torch.eye(4))
        layer.from_input.weight.zero_()
    left = gradient_left(layer, back=20, batch=3)
    torch.testing.assert_close(left, torch.ones(21, dtype=torch.float64))


def test_the_fastest_module_is_missed_by_the_readout_alone():
    torch.manual_seed(0)
    model = WaveRecipe().load()
    stopped, unheard = without(model, 1)
    assert stopped == pytest.approx(unheard, rel=1e-4)
    stopped, unheard = without(model, 16)
    assert stopped != pytest.approx(unheard, rel=0.1)


def test_a_module_that_says_nothing_is_not_missed_by_the_readout():
    model = WaveRecipe().load()
    with torch.no_grad():
        model.readout.weight[:, model.rnn.period == 64] = 0.0
    assert without(model, 64)[1] == pytest.approx(WaveRecipe().error(model), rel=1e-5)
