import pytest
import torch
from benchmarks.twin import twin
from tests.sequences import in_two_parts, step_by_step
from torch import nn

from attend.memory.delays import Delayed
from attend.memory.elman import RNN


def unit(delay, H=4, D=2, seed=0):
    made = Delayed(D, H, delay, 1.2, torch.Generator().manual_seed(seed)).double()
    made.from_input.bias.data.uniform_(-1, 1, generator=torch.Generator().manual_seed(seed + 1))
    return made


def series(B=3, T=17, D=2, seed=5):
    return torch.randn(B, T, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_a_delay_of_one_is_torchs_rnn_with_summed_weights():
    ours, x = unit(1), series()
    torchs = twin(
        nn.RNN, ours.from_input.weight, ours.from_hidden.weight + ours.from_delayed.weight, ours.from_input.bias
    )
    y, theirs = ours(x)[0], torchs(x)[0]
    assert torch.allclose(y, theirs, atol=1e-12)
    mine = torch.autograd.grad(
        y.square().sum(),
        [ours.from_input.weight, ours.from_hidden.weight, ours.from_delayed.weight, ours.from_input.bias],
    )
    other = torch.autograd.grad(
        theirs.square().sum(), [torchs.weight_ih_l0, torchs.weight_hh_l0, torchs.weight_hh_l0, torchs.bias_ih_l0]
    )
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, other, strict=True))


@pytest.mark.parametrize("delay", [2, 3, 5, 30])
def test_same_as_the_equation_one_number_at_a_time(delay):
    net, x = unit(delay), series()
    h = {t: torch.zeros(3, 4, dtype=torch.float64) for t in range(-delay, 0)}
    for t in range(17):
        rows = [
            x[:, t] @ net.from_input.weight[i]
            + h[t - 1] @ net.from_hidden.weight[i]
            + h[t - delay] @ net.from_delayed.weight[i]
            + net.from_input.bias[i]
            for i in range(4)
        ]
        h[t] = torch.tanh(torch.stack(rows, dim=1))
    theirs = torch.stack([h[t] for t in range(17)], dim=1)
    ours, line = net(x)
    assert torch.allclose(ours, theirs, atol=1e-12)
    assert torch.allclose(line, torch.stack([h[t] for t in range(17 - delay, 17)], dim=1), atol=1e-12)
    mine = torch.autograd.grad(ours.square().sum(), list(net.parameters()))
    other = torch.autograd.grad(theirs.square().sum(), list(net.parameters()))
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, other, strict=True))


@pytest.mark.parametrize("delay", [1, 2, 4])
def test_the_delay_alone_is_that_many_plain_units_taking_turns(delay):
    net, x = unit(delay), series(T=16)
    net.from_hidden.weight.data.zero_()
    plain = RNN(2, 4).double()
    with torch.no_grad():
        for name, value in (
            ("from_input.weight", net.from_input.weight),
            ("from_hidden.weight", net.from_delayed.weight),
            ("from_input.bias", net.from_input.bias),
        ):
            plain.get_parameter(name).copy_(value)
    ours = net(x)[0]
    for turn in range(delay):
        assert torch.allclose(ours[:, turn::delay], plain(x[:, turn::delay])[0], atol=1e-12)


@pytest.mark.parametrize("delay", [1, 3])
def test_parts_and_single_steps_give_what_the_whole_gives(delay):
    net, x = unit(delay), series()
    whole, last = net(x)
    for other, end in (in_two_parts(net, x, 2), step_by_step(net, x)):
        assert torch.allclose(other, whole, atol=1e-12)
        assert torch.allclose(end, last, atol=1e-12)


def test_together_the_two_paths_pass_on_radius_at_most():
    net = Delayed(1, 8, 5, 0.9, torch.Generator().manual_seed(0))
    assert torch.allclose(net.from_hidden.weight @ net.from_hidden.weight.T, 0.45**2 * torch.eye(8), atol=1e-6)
    assert torch.allclose(net.from_delayed.weight @ net.from_delayed.weight.T, 0.45**2 * torch.eye(8), atol=1e-6)


def test_bad_input_is_refused_by_name():
    net, x = unit(3), series()
    for name, sizes in {"input_size": (0, 4, 3), "hidden_size": (2, 0, 3), "delay": (2, 4, 0)}.items():
        with pytest.raises(ValueError, match=f"{name}: got 0"):
            Delayed(*sizes)
    with pytest.raises(ValueError, match="radius: got -1"):
        Delayed(2, 4, 3, -1.0)
    with pytest.raises(ValueError, match="x: got"):
        net(x[:, :0])
    with pytest.raises(ValueError, match=r"x: got .*B, T, 2"):
        net(x[..., :1])
    with pytest.raises(ValueError, match=r"state: got .*B, 3, 4"):
        net(x, torch.zeros(3, 2, 4, dtype=torch.float64))
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        net(torch.tensor([[[0.0, torch.inf]]], dtype=torch.float64))


def calls():
    UNIT = Delayed(2, 4, 3, 0.9, torch.Generator().manual_seed(0))
    X = torch.linspace(-1, 1, 20).view(2, 5, 2)
    return {
        Delayed: {"input_size": 2, "hidden_size": 4, "delay": 3, "radius": 0.9},
        UNIT.forward: {"x": X, "state": torch.zeros(2, 3, 4)},
    }
