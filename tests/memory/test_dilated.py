"""Dilated convolutions: how far each step sees, and one layer written out."""

import pytest
import torch

from attend.memory.dilated import Dilated


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_a_step_sees_itself_and_so_many_before_it_and_no_other(layers):
    torch.manual_seed(layers)
    net, x = Dilated(3, 5, layers).double(), torch.randn(2, 37, 3, dtype=torch.float64, requires_grad=True)
    (seen,) = torch.autograd.grad(net(x)[0][:, 30].sum(), x)
    assert seen.abs().sum(dim=(0, 2)).nonzero()[:, 0].tolist() == list(range(31 - 2**layers, 31))


def test_two_layers_are_what_the_sums_say_in_value_and_gradient():
    torch.manual_seed(0)
    net, x = Dilated(2, 3, 2).double(), torch.randn(4, 7, 2, dtype=torch.float64)
    (V0, b0), (V1, b1) = ((layer.weight, layer.bias) for layer in net.layers)  # (H, D, 2): the earlier step, this one
    zero, rows = torch.zeros(4, 2, dtype=torch.float64), []
    for t in range(7):
        before = x[:, t - 1] if t else zero
        rows.append(torch.tanh(before @ V0[..., 0].T + x[:, t] @ V0[..., 1].T + b0))
    zero, theirs = torch.zeros(4, 3, dtype=torch.float64), []
    for t in range(7):
        before = rows[t - 2] if t >= 2 else zero
        theirs.append(rows[t] + torch.tanh(before @ V1[..., 0].T + rows[t] @ V1[..., 1].T + b1))
    ours, theirs = net(x)[0], torch.stack(theirs, dim=1)
    torch.testing.assert_close(ours, theirs)
    mine = torch.autograd.grad(ours.square().sum(), list(net.parameters()))
    other = torch.autograd.grad(theirs.square().sum(), list(net.parameters()))
    torch.testing.assert_close(mine, other)


def test_bad_input_is_refused_by_name():
    for sizes, name in (((0, 3, 2), "input_size"), ((2, 0, 2), "hidden_size"), ((2, 3, 0), "layers")):
        with pytest.raises(ValueError, match=f"{name}: got 0"):
            Dilated(*sizes)
    with pytest.raises(ValueError, match="x: got"):
        Dilated(2, 3, 2)(torch.zeros(1, 5, 3))


def calls():
    net = Dilated(2, 3, 2)
    return {
        Dilated: {"input_size": 2, "hidden_size": 3, "layers": 2},
        net.forward: {"x": torch.linspace(-1, 1, 20).view(2, 5, 2)},
    }
