"""The committed weights are those of the recipe, and do what the page says of them."""

import pytest
import torch

from attend.memory.clockwork import Clockwork
from attend.recipes.clockwork import SEEDS, ManyToMany, WaveRecipe
from attend.tasks import wave


def error(network, seed):
    wanted = wave.recording()
    with torch.no_grad():
        return wave.cost(WaveRecipe(network, seed).load()(wave.start_signal(320))[0], wanted).item()


def test_the_clockworks_error_is_far_below_half_of_the_plain_units():
    clocks, plain = ([error(network, seed) for seed in SEEDS] for network in ("clockwork", "plain"))
    assert max(clocks) < 0.005
    assert max(clocks) < 0.1 * min(plain)


def test_the_plain_unit_has_the_more_weights():
    clocks, plain = (WaveRecipe(network).build() for network in ("clockwork", "plain"))
    assert clocks.weights == 487
    assert plain.weights == 505 == sum(p.numel() for p in plain.parameters())


@pytest.mark.nightly
@pytest.mark.parametrize("network", ["clockwork", "plain"])
def test_a_short_training_is_repeatable_and_learns(network):
    runs = [WaveRecipe(network, steps=25).train() for _ in range(2)]
    assert runs[0][1].losses == runs[1][1].losses
    assert runs[0][1].losses[-1] < runs[0][1].losses[0]


def test_weights_that_cannot_change_are_not_counted():
    assert ManyToMany(Clockwork(1, 4, (1, 2))).weights == 4 + 4 + 12 + 4 + 1


def test_an_unknown_network_is_refused():
    with pytest.raises(ValueError, match="network: got 'lstm'"):
        WaveRecipe("lstm")
