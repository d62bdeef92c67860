"""The window beside a loop, the density beside torch's own mixture, the whole beside torch's LSTM; κ never falls."""

import math

import pytest
import torch
from tests.agreement import agree
from torch import nn
from torch.distributions import Bernoulli, Categorical, MixtureSameFamily, MultivariateNormal

from attend.soft import window
from attend.soft.window import GaussianWindow, Handwriter, Mixture, draw_step, mixture, nll

B, T, U, V, H, K, M = 2, 7, 5, 6, 8, 3, 4


def drawn(*shape, seed=1):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).requires_grad_()


def writer():
    torch.manual_seed(0)
    return Handwriter(V, H, K, M).double()


def batch():
    pen, text = drawn(B, T, 3), torch.randint(V, (B, U), generator=torch.Generator().manual_seed(0))
    pen = torch.cat([pen[..., :2], (pen[..., 2:] > 0).double()], dim=2).detach()
    letters = torch.arange(U) < torch.tensor([[U], [U - 2]])
    return pen, text, letters


def test_the_window_is_its_sum_over_gaussians_and_letters():
    layer = GaussianWindow(H, K).double()
    h, kappa, c = drawn(B, H), drawn(B, K, seed=2), drawn(B, U, V, seed=3)
    made = layer.linear(h).exp()
    phi = []
    for b in range(B):
        for u in range(U):
            terms = [
                made[b, k] * torch.exp(-made[b, K + k] * (kappa[b, k] + made[b, 2 * K + k] - u) ** 2) for k in range(K)
            ]
            phi.append(sum(terms))
    phi = torch.stack(phi).view(B, U)
    w = torch.stack([sum(phi[b, u] * c[b, u] for u in range(U)) for b in range(B)])
    got = layer(h, kappa, c)
    agree(got[0], w, [h, kappa, c, *layer.parameters()])
    torch.testing.assert_close(got[1], phi)
    torch.testing.assert_close(got[2], kappa + made[:, 2 * K :])


def test_by_hand():
    layer = GaussianWindow(1, 1)
    nn.init.zeros_(layer.linear.weight)
    layer.linear.bias.data = torch.tensor([1.0, 2.0, 0.5]).log()
    c = torch.eye(3)[None]
    w, phi, kappa = layer(torch.zeros(1, 1), torch.tensor([[0.5]]), c)
    assert kappa.item() == 1
    assert phi[0].tolist() == pytest.approx([math.exp(-2), 1, math.exp(-2)])
    assert torch.equal(w, phi)


def test_centres_never_fall_and_weights_need_not_sum_to_one():
    pen, text, letters = batch()
    _, phi, kappa = writer()(pen, text, letters)
    assert (kappa.diff(dim=1) > 0).all()
    assert (phi >= 0).all()
    assert ((phi.sum(2) - 1).abs() > 0.01).any()


def test_what_stands_behind_the_end_is_not_read():
    pen, text, letters = batch()
    other = text.clone()
    other[1, -1] = (other[1, -1] + 1) % V
    model = writer()
    torch.testing.assert_close(model(pen, text, letters)[0], model(pen, other, letters)[0], rtol=0, atol=0)


def test_the_density_is_torchs_mixture_of_normals_and_a_coin():
    output, (pen, _, _) = drawn(B, T, 6 * M + 1), batch()
    mask = torch.arange(T) < torch.tensor([[T], [T - 3]])
    log_pi, mu_x, mu_y, sx, sy, rho, lift = mixture(output)
    covariance = torch.stack(
        [torch.stack([sx**2, rho * sx * sy], dim=-1), torch.stack([rho * sx * sy, sy**2], dim=-1)], dim=-2
    )
    normals = MultivariateNormal(torch.stack([mu_x, mu_y], dim=-1), covariance)
    moves = MixtureSameFamily(Categorical(logits=log_pi), normals).log_prob(pen[..., :2])
    wanted = -(moves + Bernoulli(logits=lift).log_prob(pen[..., 2]))[mask].mean()
    agree(nll(output, pen, mask), wanted, [output])


def test_a_bias_narrows_and_sharpens():
    output = drawn(50, 6 * M + 1).detach()
    loose, neat = mixture(output), mixture(output, 2.0)
    assert (neat.sigma_x < loose.sigma_x).all()
    assert torch.equal(neat.mu_x, loose.mu_x)
    assert (neat.log_pi.amax(1) > loose.log_pi.amax(1)).all()
    torch.testing.assert_close(neat.lift, 3 * loose.lift)
    assert (mixture(output, 50.0).sigma_y >= 0.04).all()


def test_steps_are_drawn_from_their_density():
    one = torch.zeros(40_000, 1, dtype=torch.float64)
    m = Mixture(one, one + 1, one - 2, one + 0.5, one + 0.2, one + 0.8, one[:, 0] + 1)
    steps = draw_step(m, torch.Generator().manual_seed(0))
    torch.testing.assert_close(steps[:, :2].mean(0), torch.tensor([1.0, -2.0]).double(), atol=0.02, rtol=0)
    torch.testing.assert_close(steps[:, :2].std(0), torch.tensor([0.5, 0.2]).double(), atol=0.01, rtol=0)
    assert torch.corrcoef(steps[:, :2].T)[0, 1].item() == pytest.approx(0.8, abs=0.01)
    assert steps[:, 2].mean().item() == pytest.approx(1 / (1 + math.exp(-1)), abs=0.01)


def test_with_the_windows_readings_it_is_torchs_lstm():
    model, (pen, text, letters) = writer(), batch()
    output, phi, _ = model(pen, text, letters)
    c = nn.functional.one_hot(text, V).double() * letters[..., None]
    w = phi @ c
    begin = torch.tensor([0.0, 0.0, 1.0]).double().expand(B, 1, 3)
    inputs = torch.cat(
        [torch.cat([begin, pen[:, :-1]], dim=1), torch.cat([w.new_zeros(B, 1, V), w[:, :-1]], dim=1)], dim=2
    )
    lstm = nn.LSTM(3 + V, H, batch_first=True).double()
    lstm.load_state_dict({f"{name}_l0": value for name, value in model.lstm.state_dict().items()})
    wanted = model.output(torch.cat([lstm(inputs)[0], w], dim=2))
    torch.testing.assert_close(output, wanted)


def test_writing_ends_on_end_and_repeats_by_its_generator(monkeypatch):
    model = writer().float()
    text = torch.tensor([[2, 3, 0]])
    one, two = (model.write(text, 1.0, 30, torch.Generator().manual_seed(4)) for _ in "ab")
    assert all(torch.equal(a, b) for a, b in zip(one, two, strict=True))
    pen, phi, kappa = one
    assert len(pen) == len(phi) == len(kappa) <= 30
    ended = (phi.argmax(1) == 2) & (pen[:, 2] == 1)
    assert not ended[:-1].any()
    assert bool(ended[-1]) or len(pen) == 30


def test_written_steps_are_teacher_forced_into_the_same_window():
    model, text = writer().float(), torch.tensor([[2, 3, 0]])
    pen, phi, kappa = model.write(text, 0.0, 20, torch.Generator().manual_seed(1))
    _, again, same = model(pen[None], text, torch.ones_like(text, dtype=torch.bool))
    torch.testing.assert_close(again[0], phi)
    torch.testing.assert_close(same[0], kappa)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: GaussianWindow(H, 0), "K: got 0"),
        (lambda: Handwriter(1), "vocab_size: got 1"),
        (lambda: mixture(torch.ones(2, 7), -1.0), "bias: got"),
        (lambda: writer().float().write(torch.tensor([[9]])), "text: got"),
        (lambda: nll(torch.ones(2, 3, 7), torch.ones(2, 3, 2), torch.ones(2, 3, dtype=torch.bool)), "pen: got"),
    ],
)
def test_what_does_not_fit_is_refused(call, says):
    with pytest.raises(ValueError, match=says):
        call()


def calls():
    h, kappa, c = torch.ones(B, H), torch.zeros(B, K), torch.ones(B, U, V)
    one, text = torch.zeros(2, 1), torch.tensor([[1, 2, 0], [1, 0, 0]])
    letters = torch.tensor([[True, True, True], [True, True, False]])
    return {
        GaussianWindow: {"hidden_size": H, "K": K, "offset": -1.0},
        GaussianWindow(H, K).forward: {"h": h, "kappa": kappa, "c": c},
        mixture: {"output": torch.zeros(2, 3, 7), "bias": 0.5},
        nll: {"output": torch.zeros(2, 3, 7), "pen": torch.zeros(2, 3, 3), "mask": torch.ones(2, 3, dtype=torch.bool)},
        draw_step: {"m": window.Mixture(one, one, one, one + 1, one + 1, one, one[:, 0])},
        Handwriter: {"vocab_size": V, "hidden_size": H, "K": K, "M": M, "offset": -1.0},
        writer().float().forward: {"pen": torch.zeros(2, 4, 3), "text": text, "letters": letters},
        writer().float().write: {"text": torch.tensor([[1, 0]]), "bias": 1.0, "most": 5},
    }


def good():
    return {
        mixture: {"output": {"rank", "width"}},
        GaussianWindow(H, K).forward: {"c": {"empty", "width"}},
        writer().float().write: {"text": {"width"}},
    }
