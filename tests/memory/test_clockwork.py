import pytest
import torch
from benchmarks.twin import twin
from tests.sequences import in_two_parts, step_by_step
from torch import nn

from attend.fast import fast
from attend.memory.clockwork import Clockwork
from attend.memory.elman import RNN

PERIODS = [(1, 2, 4, 8), (1, 3), (2, 3, 5), (4,)]


def network(periods=(1, 2, 4, 8), D=2, size=3, seed=0):
    made = Clockwork(D, size, periods, torch.Generator().manual_seed(seed)).double()
    made.from_input.bias.data.uniform_(-1, 1, generator=torch.Generator().manual_seed(seed + 1))
    return made


def series(B=3, T=21, D=2, seed=5):
    return torch.randn(B, T, D, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def dense(net, x, h):
    """The network written out: every unit at every step, from period and weights, one number at a time."""
    period = [p for p in net.periods for _ in range(net.hidden_size // len(net.periods))]
    rows = []
    for t in range(x.shape[1]):
        after = []
        for i in range(net.hidden_size):
            heard = [net.from_hidden.weight[i, j] * h[:, j] for j in range(net.hidden_size) if period[j] >= period[i]]
            new = torch.tanh(x[:, t] @ net.from_input.weight[i] + sum(heard) + net.from_input.bias[i])
            after.append(new if t % period[i] == 0 else h[:, i])
        h = torch.stack(after, dim=1)
        rows.append(h)
    return torch.stack(rows, dim=1)


@pytest.mark.parametrize("periods", PERIODS)
@pytest.mark.parametrize("quick", [False, True])
def test_same_as_a_dense_reference_in_value_and_gradient(periods, quick):
    net, x = network(periods), series()
    weigh = torch.randn(3, 21, net.hidden_size, dtype=torch.float64)
    ours = fast(net)(x)[0] if quick else net(x)[0]
    theirs = dense(net, x, torch.zeros(3, net.hidden_size, dtype=torch.float64))
    assert torch.allclose(ours, theirs, atol=1e-12)
    mine = torch.autograd.grad((ours * weigh).sum(), list(net.parameters()))
    other = torch.autograd.grad((theirs * weigh).sum(), list(net.parameters()))
    assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, other, strict=True))


def test_one_module_of_period_1_is_torchs_rnn_and_ours():
    net, x = network((1,), size=6), series()
    torchs = twin(nn.RNN, net.from_input.weight, net.from_hidden.weight, net.from_input.bias)
    plain = RNN(2, 6).double()
    plain.load_state_dict(net.state_dict())
    ours, theirs, elmans = net(x)[0], torchs(x)[0], plain(x)[0]
    assert torch.allclose(ours, theirs, atol=1e-12)
    assert torch.allclose(ours, elmans, atol=1e-12)
    for out, model, names in (
        (theirs, torchs, ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0")),
        (elmans, plain, ("from_input.weight", "from_hidden.weight", "from_input.bias")),
    ):
        mine = torch.autograd.grad(
            ours.square().sum(), [net.from_input.weight, net.from_hidden.weight, net.from_input.bias], retain_graph=True
        )
        other = torch.autograd.grad(out.square().sum(), [model.get_parameter(name) for name in names])
        assert all(torch.allclose(a, b, atol=1e-10) for a, b in zip(mine, other, strict=True))


def test_the_gradient_is_that_of_finite_differences():
    net, x = network((1, 2), size=2), series(B=1, T=5)

    def last(W, U, b):
        return torch.func.functional_call(
            _Sequence(net), {"net.from_input.weight": W, "net.from_hidden.weight": U, "net.from_input.bias": b}, (x,)
        )

    weights = tuple(
        p.detach().clone().requires_grad_()
        for p in (net.from_input.weight, net.from_hidden.weight, net.from_input.bias)
    )
    assert torch.autograd.gradcheck(last, weights)


class _Sequence(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)[0]


@pytest.mark.parametrize("periods", PERIODS)
def test_between_ticks_a_module_hands_on_exactly_what_it_holds(periods):
    net, x = network(periods), series()
    held, _ = net(x)
    for t in range(1, x.shape[1]):
        stays = t % net.period != 0
        assert torch.equal(held[:, t, stays], held[:, t - 1, stays])
        assert not (held[:, t, ~stays] == held[:, t - 1, ~stays]).any()
        assert torch.equal(net.ticks(t), ~stays)


def test_fast_modules_never_reach_slow_ones_and_slow_ones_are_deaf_between_ticks():
    net, x = network(), series(B=1, T=9).requires_grad_()
    h = torch.randn(1, net.hidden_size, dtype=torch.float64, requires_grad=True)
    held, _ = net(x, (h, 0))
    slow = held[0, -1, net.period == 8].sum()
    to_start, to_input = torch.autograd.grad(slow, [h, x])
    assert (to_start[0, net.period < 8] == 0).all()
    assert to_start[0, net.period == 8].abs().min() > 0
    assert to_input[0].abs().sum(dim=1).nonzero()[:, 0].tolist() == [0, 8]


@pytest.mark.parametrize("quick", [False, True])
def test_two_parts_of_a_sequence_and_single_steps_give_what_the_whole_gives(quick):
    net, x = network(), series()
    net = fast(net) if quick else net
    whole, last = net(x)
    for other, end in (in_two_parts(net, x, 13), step_by_step(net, x)):
        assert torch.allclose(other, whole, atol=1e-12)
        assert torch.allclose(end[0], last[0], atol=1e-12)
        assert end[1] == last[1] == 21


def test_it_starts_empty_with_all_clocks_at_zero():
    net, x = network(), series(T=1)
    nothing = torch.zeros(3, 12, dtype=torch.float64)
    torch.testing.assert_close(net(x), net(x, (nothing, 0)))
    torch.testing.assert_close(net(x)[0][:, 0], torch.tanh(net.from_input(x[:, 0])))


def test_what_stands_where_nothing_connects_changes_nothing():
    net, x = network(), series()
    before = net(x)[0]
    net.from_hidden.weight.data[~net.reach] = 7.0
    assert torch.equal(net(x)[0], before)


@pytest.mark.parametrize("periods", [(), (0, 1), (2, 1), (1, 1), (1, 2.0), (True, 2), (-1, 1)])
def test_periods_that_do_not_grow_are_refused(periods):
    with pytest.raises(ValueError, match="periods: got"):
        Clockwork(1, 3, periods)


def test_bad_input_is_refused_by_name():
    net, x = network(), series()
    with pytest.raises(ValueError, match="module_size: got 0"):
        Clockwork(1, 0, (1, 2))
    with pytest.raises(ValueError, match="input_size: got 0"):
        Clockwork(0, 8, (1, 2))
    with pytest.raises(ValueError, match="t: got -1"):
        net.ticks(-1)
    with pytest.raises(ValueError, match="x: got"):
        net(x[:, :0])
    with pytest.raises(ValueError, match=r"x: got .*B, T, 2"):
        net(x[..., :1])
    with pytest.raises(ValueError, match="x: got 1 non-finite"):
        net(torch.tensor([[[0.0, torch.nan]]], dtype=torch.float64))
    with pytest.raises(ValueError, match="state: got"):
        net(x, (torch.zeros(2, 12, dtype=torch.float64), 0))
    with pytest.raises(ValueError, match="state: got"):
        net(x, (torch.zeros(3, 12, dtype=torch.float64), 0.5))


def calls():
    NETWORK = Clockwork(2, 2, (1, 2, 4), torch.Generator().manual_seed(0))
    X = torch.linspace(-1, 1, 20).view(2, 5, 2)
    return {
        Clockwork: {"input_size": 2, "module_size": 2, "periods": (1, 2, 4)},
        NETWORK.ticks: {"t": 3},
        NETWORK.forward: {"x": X, "state": (torch.zeros(2, 6), 3)},
    }


def good():
    NETWORK = Clockwork(2, 2, (1, 2, 4), torch.Generator().manual_seed(0))
    return {
        NETWORK.ticks: {"t": {"zero"}},
    }
