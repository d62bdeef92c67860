import itertools
import math

import pytest
import torch
from tests.sequences import in_two_parts

from attend.memory.interval import Counter, Network, OneBit
from attend.tasks import crossings, temperature

EXACT = [Counter(), OneBit(), Network()]


def counts(model, x):
    """The count after every step (B, T), whatever the model keeps."""
    said, _ = model(x[:, :, None])
    return said[:, :, -1]


@pytest.mark.parametrize("model", EXACT, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("kind", ["smooth", "jagged", "on the ends"])
def test_exact_at_every_step_of_10_000_random_series(model, seed, kind):
    generator = torch.Generator().manual_seed(seed)
    if kind == "smooth":
        x = crossings.paths(10_000, generator=generator)
    elif kind == "jagged":
        x = torch.randn(10_000, 60, generator=generator)
    else:
        x = torch.randint(-1, 3, (10_000, 60), generator=generator).float()
    assert torch.equal(counts(model, x).long(), crossings.entrances(x))


@pytest.mark.parametrize("model", EXACT, ids=lambda model: type(model).__name__)
@pytest.mark.parametrize("record", ["an average year", "four measured years"])
def test_exact_on_real_temperatures(model, record):
    celsius = temperature.average_year().celsius if record == "an average year" else temperature.daily().celsius
    x = temperature.to_unit(celsius)[None]
    assert torch.equal(counts(model, x).long(), crossings.entrances(x))


@pytest.mark.parametrize("model", [Counter(10.0, 15.0), OneBit(10.0, 15.0), Network(10.0, 15.0)])
def test_any_interval_will_do(model):
    x = temperature.daily().celsius[None]
    assert torch.equal(counts(model, x).long(), crossings.entrances(x, 10.0, 15.0))


def test_a_worked_case():
    x = torch.tensor([[[0.5], [2.0], [1.0], [0.0], [-0.5], [0.25]]])
    h, last = Counter()(x)
    assert h[0, :, 0].tolist() == x[0, :, 0].tolist()
    assert h[0, :, 1].tolist() == [1, 1, 2, 2, 2, 3]
    assert last.tolist() == [[0.25, 3]]


def test_a_start_of_zeros_loses_the_first_entrance():
    x = torch.tensor([[[0.5], [2.0], [0.5]]])
    h, _ = Counter()(x, torch.zeros(1, 2))
    assert h[0, -1, 1] == 1
    assert Counter()(x)[0][0, -1, 1] == 2


@pytest.mark.parametrize("model", EXACT, ids=lambda model: type(model).__name__)
def test_two_parts_of_a_series_give_what_the_whole_gives(model):
    x = crossings.paths(20, 30, generator=torch.Generator().manual_seed(0)).double()[:, :, None]
    whole, last = model(x)
    parts, end = in_two_parts(model, x, 13)
    assert torch.equal(parts, whole)
    assert torch.equal(end, last)


def test_no_memory_of_fewer_than_t_plus_1_states_is_exact():
    """Prefixes of inside marks fall into t + 1 classes by what the count becomes under all endings of two steps."""
    for t in range(1, 9):
        prefixes = torch.tensor(list(itertools.product([0.5, 2.0], repeat=t)))
        endings = torch.tensor(list(itertools.product([0.5, 2.0], repeat=2)))
        both = torch.cat([prefixes.repeat_interleave(4, dim=0), endings.repeat(len(prefixes), 1)], dim=1)
        futures = crossings.entrances(both)[:, t - 1 :].reshape(len(prefixes), -1)
        states = OneBit()(prefixes[:, :, None])[1]
        assert len(futures.unique(dim=0)) == len(states.unique(dim=0)) == t + 1


def test_the_networks_layer_is_that_of_torch():
    network = Network()
    unit = torch.nn.RNN(2, 3, nonlinearity="relu", batch_first=True, dtype=torch.float64)
    for name, values in {"weight_ih_l0": network.W, "weight_hh_l0": network.U, "bias_ih_l0": network.b}.items():
        unit.state_dict()[name].copy_(values)
    unit.state_dict()["bias_hh_l0"].zero_()
    x = crossings.paths(50, generator=torch.Generator().manual_seed(0))[:, :, None]
    theirs, _ = unit(network.ends(x))
    assert torch.equal(theirs @ network.R.T, network(x)[0])


def test_ramps_are_exact_off_the_ramps_and_only_there():
    x = crossings.paths(10_000, generator=torch.Generator().manual_seed(0)).double()
    ramp = 1 / 128
    wrong = (counts(Network(ramp=ramp), x) - crossings.entrances(x)).abs().amax(dim=1) > 1e-9
    on_a_ramp = (((-ramp < x) & (x < 0)) | ((x > 1) & (x < 1 + ramp))).any(dim=1)
    assert 0 < wrong.sum() < len(x)
    assert not (wrong & ~on_a_ramp).any()


def test_a_step_has_no_slope_and_a_ramp_has_one():
    x = torch.tensor([[[-0.005], [0.5]]], dtype=torch.float64, requires_grad=True)
    said, _ = Network(ramp=1 / 64)(x)
    (slope,) = torch.autograd.grad(said[0, 0, 0], x)
    assert slope[0, 0, 0] == 64
    assert not Network()(x)[0].requires_grad


@pytest.mark.parametrize("kind", [Counter, OneBit, Network])
def test_an_interval_upside_down_is_refused(kind):
    with pytest.raises(ValueError, match=r"high: got 0\.0"):
        kind(1.0, 0.0)


@pytest.mark.parametrize("model", EXACT, ids=lambda model: type(model).__name__)
def test_bad_series_are_refused(model):
    with pytest.raises(ValueError, match="x: got"):
        model(torch.zeros(2, 0, 1))
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        model(torch.tensor([[[0.0], [math.nan]]]))


def calls():
    X = torch.tensor([[0.5], [2.0]])
    SERIES = torch.tensor([[[0.5], [2.0], [0.25]]])
    return {
        Counter: {"low": 0.0, "high": 1.0},
        OneBit: {"low": 0.0, "high": 1.0},
        Counter().forward: {"x": SERIES, "state": torch.tensor([[-1.0, 0.0]])},
        Network: {"low": 0.0, "high": 1.0, "ramp": 0.25},
        Network().forward: {"x": SERIES, "state": torch.zeros(1, 3, dtype=torch.float64)},
        Network().ends: {"x": X},
    }


def good():
    return {
        Network.ends: {"x": {"rank"}},
    }
