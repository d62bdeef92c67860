"""Jacobians and clipping beside torch, the bounds that the page states, and what is refused."""

import pytest
import torch
from torch.autograd.functional import jacobian

from attend.memory import gradients
from attend.memory.elman import RNN
from attend.memory.gradients import (
    RecallRNN,
    carried,
    clip,
    influence,
    jacobians,
    spectral_radius,
    strength,
    with_radius,
)

B, T, D, H = 2, 6, 3, 4


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.fixture
def unit():
    return RNN(D, H, radius=1.2, generator=torch.Generator().manual_seed(1)).double().requires_grad_(False)


def test_step_jacobians_agree_with_autograd(unit):
    x = draw(B, T, D)
    summaries, _ = unit(x)
    ours = jacobians(unit.from_hidden.weight, summaries)
    before = torch.cat([torch.zeros(B, 1, H, dtype=torch.float64), summaries[:, :-1]], dim=1)
    for b in range(B):
        for t in range(T):
            theirs = jacobian(lambda h, b=b, t=t: unit.step(x[b, t][None], h[None])[0], before[b, t])
            torch.testing.assert_close(ours[b, t], theirs, rtol=0, atol=1e-12)


def test_products_agree_with_autograd(unit):
    x = draw(B, T, D)
    ours = carried(jacobians(unit.from_hidden.weight, unit(x)[0]))
    for t in range(T):
        _, state = unit(x[:, : t + 1])
        for b in range(B):
            rest = x[b, t + 1 :][None]
            theirs = jacobian(lambda h, rest=rest: unit(rest, h[None])[1][0], state[b]) if t < T - 1 else torch.eye(H)
            torch.testing.assert_close(ours[b, t], theirs.double(), rtol=0, atol=1e-12)


def test_influence_of_inputs_agrees_with_autograd(unit):
    x = draw(B, T, D)
    ours = influence(unit.from_hidden.weight, unit.from_input.weight, unit(x)[0])
    for b in range(B):
        theirs = jacobian(lambda series: unit(series[None])[1][0], x[b])
        torch.testing.assert_close(ours[b], theirs.transpose(0, 1), rtol=0, atol=1e-12)


def test_without_a_squash_the_slope_is_the_radius():
    for radius in (0.5, 1.0, 1.3):
        unit = RNN(D, H, radius, torch.Generator().manual_seed(0)).double().requires_grad_(False)
        fade = strength(carried(jacobians(unit.from_hidden.weight, torch.zeros(1, 40, H, dtype=torch.float64))))[0]
        steps = fade.log().diff().neg()
        torch.testing.assert_close(steps, torch.full_like(steps, radius).log(), rtol=0, atol=1e-6)


def test_the_largest_singular_value_bounds_every_product(unit):
    fade = strength(carried(jacobians(unit.from_hidden.weight, unit(draw(B, T, D))[0])))
    bound = strength(unit.from_hidden.weight) ** torch.arange(T - 1, -1, -1)
    assert (fade <= bound + 1e-12).all()


def test_radius():
    U = draw(H, H)
    assert spectral_radius(torch.diag(torch.tensor([0.5, -2.0]))) == 2
    torch.testing.assert_close(spectral_radius(with_radius(U, 1.3)), torch.tensor(1.3, dtype=torch.float64))
    assert spectral_radius(torch.tensor([[0.0, -1.0], [1.0, 0.0]])) == pytest.approx(1)
    assert not with_radius(U, 0).any()


@pytest.mark.parametrize("threshold", [0.01, 1.0, 1e6])
def test_clip_agrees_with_torch(threshold):
    gradients = [draw(H, H), draw(H, seed=1), draw(H, D, seed=2)]
    parameters = [torch.nn.Parameter(torch.zeros_like(g)) for g in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    theirs = torch.nn.utils.clip_grad_norm_(parameters, threshold)
    clipped, length = clip(gradients, threshold)
    torch.testing.assert_close(length, theirs)
    for ours, parameter in zip(clipped, parameters, strict=True):
        torch.testing.assert_close(ours, parameter.grad, rtol=2e-6, atol=0)


def test_clip_keeps_the_direction_and_leaves_short_gradients_alone():
    gradients = [draw(H, H), draw(H, seed=1)]
    short, length = clip(gradients, 0.1)
    whole, clipped = (torch.cat([g.flatten() for g in gs]) for gs in (gradients, short))
    torch.testing.assert_close(clipped / 0.1, whole / length)
    same, _ = clip(gradients, float(length) + 1)
    assert all(torch.equal(a, b) for a, b in zip(same, gradients, strict=True))
    assert not clip([torch.zeros(3)], 1.0)[0][0].any()


def test_the_answer_is_zero_before_training_and_read_from_the_last_hidden_state_after():
    model = RecallRNN(1, H, generator=torch.Generator().manual_seed(0))
    x = torch.randn(B, T, 1)
    assert not model(x).any()
    with torch.no_grad():
        model.readout.fill_(1.0)
    torch.testing.assert_close(model(x), model.rnn(x)[1].sum(1) / 2)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: spectral_radius(draw(2, 3)), "U: got"),
        (lambda: with_radius(torch.zeros(2, 2), 1.0), "U: got .*eigenvalue that is not zero"),
        (lambda: with_radius(draw(2, 2), -1.0), "radius: got -1"),
        (lambda: jacobians(draw(H, H), draw(B, T, H + 1)), "hidden: got"),
        (lambda: carried(draw(B, 0, H, H)), "steps: got"),
        (lambda: influence(draw(H, H), draw(H + 1, D), draw(B, T, H)), "W: got"),
        (lambda: strength(draw(3)), "matrices: got"),
        (lambda: clip([], 1.0), "gradients: got .*at least one"),
        (lambda: clip([draw(3) * float("inf")], 1.0), "gradients: got .*non-finite"),
        (lambda: clip([draw(3)], 0), "threshold: got 0"),
    ],
)
def test_bad_input_is_refused_by_name(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def calls():
    U = torch.tensor([[0.9, 0.4], [-0.3, 0.6]])
    W = torch.ones(2, 3)
    SUMMARIES = torch.full((2, 5, 2), 0.5)
    MODEL = gradients.RecallRNN(1, 4)
    return {
        gradients.spectral_radius: {"U": U},
        gradients.with_radius: {"U": U, "radius": 1.3},
        gradients.jacobians: {"U": U, "hidden": SUMMARIES},
        gradients.carried: {"steps": torch.ones(2, 5, 2, 2)},
        gradients.influence: {"U": U, "W": W, "hidden": SUMMARIES},
        gradients.strength: {"matrices": torch.ones(2, 5, 2, 3)},
        gradients.clip: {"gradients": [torch.ones(2, 2), torch.ones(3)], "threshold": 0.5},
        gradients.RecallRNN: {"input_size": 1, "hidden_size": 4, "radius": 1.05, "generator": torch.Generator()},
        MODEL.forward: {"x": torch.ones(2, 5, 1)},
    }


def good():
    return {
        gradients.strength: {"matrices": {"rank"}},
    }
