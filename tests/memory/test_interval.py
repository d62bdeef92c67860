"""The counter of two numbers and the network of the same form, beside a brute-force count and torch.nn.RNN."""

import itertools
import math

import pytest
import torch
from tests.sequences import in_two_parts

from attend.memory.interval import Counter, CountingRNN, by_hand
from attend.tasks import crossings, temperature


@pytest.mark.parametrize("kind", ["smooth", "jagged", "on the ends"])
def test_the_counter_is_exact_at_every_step_of_random_series(kind):
    generator = torch.Generator().manual_seed(0)
    draws = {
        "smooth": lambda: crossings.paths(2_000, generator=generator),
        "jagged": lambda: torch.randn(2_000, 60, generator=generator),
        "on the ends": lambda: torch.randint(-1, 3, (2_000, 60), generator=generator).float(),
    }
    x = draws[kind]()
    h, _ = Counter()(x[:, :, None])
    assert torch.equal(h[:, :, 1].long(), crossings.entrances(x))


def test_any_interval_will_do_for_the_counter():
    x = temperature.daily().celsius[None]
    assert torch.equal(Counter(10.0, 15.0)(x[:, :, None])[0][:, :, 1].long(), crossings.entrances(x, 10.0, 15.0))


@pytest.mark.parametrize("record", [temperature.average_year, temperature.daily])
def test_the_network_written_by_hand_is_exact_on_real_temperatures(record):
    x = temperature.to_unit(record().celsius)[None]
    counts, _ = by_hand()(x[:, :, None])
    torch.testing.assert_close(counts, crossings.entrances(x).double(), rtol=0, atol=1e-9)


def test_it_is_wrong_only_where_a_value_lies_on_a_ramp():
    x = crossings.paths(3_000, generator=torch.Generator().manual_seed(0)).double()
    wrong = (by_hand(128.0)(x[:, :, None])[0] - crossings.entrances(x)).abs().amax(dim=1) > 1e-9
    outside = torch.maximum(-x, x - 1)
    on_a_ramp = ((outside > 0) & (outside < 1 / 128)).any(dim=1)
    assert 0 < wrong.sum() < len(x)
    assert not (wrong & ~on_a_ramp).any()


def test_a_worked_case():
    x = torch.tensor([[[0.5], [2.0], [1.0], [0.0], [-0.5], [0.25]]])
    h, last = Counter()(x)
    assert h[0, :, 0].tolist() == x[0, :, 0].tolist()
    assert h[0, :, 1].tolist() == [1, 1, 2, 2, 2, 3]
    assert last.tolist() == [[0.25, 3]]
    counts, hidden = by_hand()(x.double())
    assert counts.tolist() == [[1, 1, 2, 2, 2, 3]]
    assert hidden[0].tolist() == [[1, 1, 0], [0, 0, 1], [1, 1, 1], [1, 0, 2], [0, 0, 2], [1, 1, 2]]


def test_a_start_of_zeros_loses_the_first_entrance():
    x = torch.tensor([[[0.5], [2.0], [0.5]]])
    assert Counter()(x, torch.zeros(1, 2))[0][0, -1, 1] == 1
    assert Counter()(x)[0][0, -1, 1] == 2


def test_no_memory_of_fewer_than_t_plus_1_states_is_exact():
    """Pasts fall into t + 1 kinds by the counts under all endings of two steps; the network has a state for each."""
    for t in range(1, 8):
        pasts = torch.tensor(list(itertools.product([0.5, 2.0], repeat=t)))
        endings = torch.tensor(list(itertools.product([0.5, 2.0], repeat=2)))
        both = torch.cat([pasts.repeat_interleave(4, dim=0), endings.repeat(len(pasts), 1)], dim=1)
        futures = crossings.entrances(both)[:, t - 1 :].reshape(len(pasts), -1)
        last = by_hand()(pasts.double()[:, :, None])[1][:, -1]
        inside_and_count = torch.stack([last[:, 0], last[:, 1] + last[:, 2]], dim=1)
        assert len(futures.unique(dim=0)) == len(inside_and_count.unique(dim=0)) == t + 1


def test_two_parts_of_a_series_give_what_the_whole_gives():
    x = crossings.paths(20, 30, generator=torch.Generator().manual_seed(0))[:, :, None]
    whole, last = Counter()(x)
    parts, end = in_two_parts(Counter(), x, 13)
    assert torch.equal(parts, whole)
    assert torch.equal(end, last)
    network = CountingRNN(3, 5)
    counts, hidden = network(x)
    _, first = network(x[:, :13])
    torch.testing.assert_close(network(x[:, 13:], first[:, -1])[0], counts[:, 13:])
    torch.testing.assert_close(first, hidden[:, :13])


@pytest.mark.parametrize(("activation", "name"), [(torch.relu, "relu"), (torch.tanh, "tanh")])
def test_the_networks_layer_is_that_of_torch_in_values_and_gradients(activation, name):
    torch.manual_seed(0)
    ours = CountingRNN(3, 5, activation).double()
    theirs = torch.nn.RNN(3, 5, nonlinearity=name, batch_first=True, dtype=torch.float64)
    parts = {"weight_ih_l0": ours.from_seen.weight, "weight_hh_l0": ours.from_hidden.weight}
    for key, values in (parts | {"bias_ih_l0": ours.from_seen.bias}).items():
        theirs.state_dict()[key].copy_(values)
    theirs.state_dict()["bias_hh_l0"].zero_()
    x = torch.randn(4, 7, 1, dtype=torch.float64)
    counts, hidden = ours(x)
    again, _ = theirs(torch.relu(ours.sees(x)))
    torch.testing.assert_close(hidden, again)
    torch.testing.assert_close(counts, ours.count(again).squeeze(2))
    hidden.square().sum().backward()
    again.square().sum().backward()
    torch.testing.assert_close(ours.from_hidden.weight.grad, theirs.weight_hh_l0.grad)


def test_at_the_start_the_state_is_kept():
    network = CountingRNN(3, 5).requires_grad_(False)
    network.from_seen.weight.zero_()
    network.from_seen.bias.zero_()
    h = torch.rand(2, 5)
    assert torch.equal(network.step(torch.zeros(2, 1), h), h)


def test_an_interval_upside_down_is_refused():
    with pytest.raises(ValueError, match=r"high: got 0\.0"):
        Counter(1.0, 0.0)


@pytest.mark.parametrize("model", [Counter(), CountingRNN(2, 3)], ids=["counter", "network"])
def test_bad_series_are_refused(model):
    with pytest.raises(ValueError, match="x: got"):
        model(torch.zeros(2, 0, 1))
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        model(torch.tensor([[[0.0], [math.nan]]]))


def calls():
    SERIES = torch.tensor([[[0.5], [2.0], [0.25]]])
    return {
        Counter: {"low": 0.0, "high": 1.0},
        Counter().forward: {"x": SERIES, "state": torch.tensor([[-1.0, 0.0]])},
        CountingRNN: {"features": 3, "hidden_size": 4, "activation": torch.relu},
        CountingRNN(2, 3).forward: {"x": SERIES, "state": torch.zeros(1, 3)},
        by_hand: {"k": 4.0},
    }
