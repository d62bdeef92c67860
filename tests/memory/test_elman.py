"""The simple recurrent unit beside torch.nn.RNN, its own claims, and what it refuses."""

import pytest
import torch
from benchmarks.twin import twin
from tests.sequences import in_two_parts, step_by_step
from torch import nn

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


@pytest.fixture
def rival(unit):
    return twin(nn.RNN, unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)


def test_values_agree_with_torch(unit, rival):
    x, h_0 = draw(B, T, D), draw(B, H, seed=3)
    ours, last = unit(x, h_0)
    theirs, their_last = rival(x, h_0[None])
    torch.testing.assert_close(ours, theirs, rtol=0, atol=1e-12)
    torch.testing.assert_close(last, their_last[0], rtol=0, atol=1e-12)


def test_gradients_agree_with_torch(unit, rival):
    weight = draw(B, T, H, seed=4)
    x, x_too = (draw(B, T, D).requires_grad_() for _ in range(2))
    (unit(x)[0] * weight).sum().backward()
    (rival(x_too)[0] * weight).sum().backward()
    pairs = [
        (x, x_too),
        (unit.from_input.weight, rival.weight_ih_l0),
        (unit.from_hidden.weight, rival.weight_hh_l0),
        (unit.from_input.bias, rival.bias_ih_l0),
    ]
    for ours, theirs in pairs:
        torch.testing.assert_close(ours.grad, theirs.grad, rtol=0, atol=1e-11)


def test_gradcheck(unit):
    def run(x, h, W, U, b):
        return torch.func.functional_call(
            unit, {"from_input.weight": W, "from_hidden.weight": U, "from_input.bias": b}, (x[:, None], h)
        )[1]

    inputs = (
        draw(B, D),
        draw(B, H, seed=3),
        *(p.detach().clone() for p in (unit.from_input.weight, unit.from_hidden.weight, unit.from_input.bias)),
    )
    assert torch.autograd.gradcheck(run, tuple(i.requires_grad_() for i in inputs))


def test_steps_and_sequence_are_the_same_thing(unit):
    x = draw(B, T, D)
    torch.testing.assert_close(step_by_step(unit, x), unit(x), rtol=0, atol=1e-12)


def test_a_sequence_may_be_cut_and_continued(unit):
    x = draw(B, T, D)
    torch.testing.assert_close(in_two_parts(unit, x, 3), unit(x), rtol=0, atol=1e-12)


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


def test_at_hidden_steps_the_summary_stays(unit):
    mask = torch.tensor([[False, True, False, True]])
    h_0 = draw(1, H, seed=3)
    summaries, _ = unit(draw(1, 4, D), h_0, mask)
    assert torch.equal(summaries[:, 0], h_0)
    assert torch.equal(summaries[:, 2], summaries[:, 1])


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


def test_the_same_generator_draws_the_same_unit():
    one, two = (RNN(D, H, generator=torch.Generator().manual_seed(7)) for _ in range(2))
    assert all(torch.equal(p, q) for p, q in zip(one.parameters(), two.parameters(), strict=True))


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda u: u(draw(B, T, D + 1)), "x: got .*expected a Float tensor of shape .B, T, 4."),
        (lambda u: u(draw(B, T, D), draw(B, H + 1)), "state: got .*expected a Float tensor of shape .B, 5."),
        (lambda u: u(draw(B, T, D), draw(B + 1, H)), "state: got"),
        (lambda u: u(draw(B, T, D) * float("nan")), "x: got .*non-finite"),
        (lambda u: u(draw(B, 0, D)), "x: got"),
        (lambda u: u(draw(B, D)), "x: got"),
        (lambda u: u(draw(B, T, D), mask=torch.ones(B, T)), "mask: got"),
        (lambda u: u(draw(B, T, D), mask=torch.zeros(B, T, dtype=torch.bool)), "mask: got"),
        (lambda u: RNN(0, H), "input_size: got 0"),
        (lambda u: RNN(D, 2.5), "hidden_size: got 2.5"),
        (lambda u: RNN(D, H, radius=-1), "radius: got -1"),
    ],
)
def test_bad_input_is_refused_by_name(unit, call, named):
    with pytest.raises(ValueError, match=named):
        call(unit)


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
