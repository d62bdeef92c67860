"""The simple recurrent unit beside torch.nn.RNN, its own claims, and what it refuses."""

import pytest
import torch

from attend.memory.elman import RNN

B, T, D, H = 3, 7, 4, 5


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


@pytest.fixture
def unit():
    unit = RNN(D, H, generator=torch.Generator().manual_seed(1)).double()
    with torch.no_grad():
        unit.from_input.bias.copy_(draw(H, seed=2))
    return unit


@pytest.mark.parametrize("side", ["end", "start", "middle"])
def test_padding_changes_neither_value_nor_gradient(unit, side):
    real = draw(1, 4, D).requires_grad_()
    filler = 1e6 * draw(1, 3, D, seed=5)
    order = {"end": [0, 1, 2, 3, 4, 5, 6], "start": [4, 5, 6, 0, 1, 2, 3], "middle": [0, 4, 1, 5, 6, 2, 3]}[side]
    padded = torch.cat([real, filler], dim=1)[:, order]
    mask = (torch.tensor(order) < 4)[None]

    def outcome(x, mask):
        unit.zero_grad()
        last = unit(x, mask=mask)[1]
        wrt = (real, unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)
        return last, *torch.autograd.grad(last.square().sum(), wrt)

    for with_padding, without in zip(outcome(padded, mask), outcome(real, None), strict=True):
        torch.testing.assert_close(with_padding, without, rtol=0, atol=1e-12)


def test_zero_input_weights_make_the_input_inert(unit):
    with torch.no_grad():
        unit.from_input.weight.zero_()
    h = draw(B, H, seed=3)
    assert torch.equal(unit.step(draw(B, D), h), unit.step(100 * draw(B, D, seed=9), h))


def test_updates_lie_in_the_open_square(unit):
    h = unit.step(draw(1000, D), draw(1000, H, seed=3))
    assert h.abs().max() < 1


def test_the_start_is_a_scaled_rotation():
    unit = RNN(D, H, radius=0.5)
    torch.testing.assert_close(
        unit.from_hidden.weight @ unit.from_hidden.weight.T, 0.25 * torch.eye(H), rtol=0, atol=1e-6
    )
    assert unit.from_input.weight.abs().max() <= (6 / (D + H)) ** 0.5
    assert not unit.from_input.bias.any()


def calls():
    LAYER = RNN(3, 4)
    return {
        RNN: {"input_size": 3, "hidden_size": 4, "radius": 0.9, "generator": torch.Generator()},
        LAYER.forward: {
            "x": torch.ones(2, 5, 3),
            "state": torch.zeros(2, 4),
            "mask": torch.ones(2, 5, dtype=torch.bool),
        },
    }


def good():
    return {
        RNN: {"radius": {"zero"}},
    }
