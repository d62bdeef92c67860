"""Each checker knows the solution, the typical wrong answers, unusual right ones, and the stub."""

import math

import pytest
import torch
from tests.checks.verdicts import accepts, refuses

from attend.checks import window as checks


def step(h, kappa, c, mask, W, b, *, move=torch.exp, power=2, first=0, norm=False, masked=True, early=False, gain=True):
    logs = h @ W.T + b
    log_alpha, log_beta, log_move = logs.chunk(3, dim=1)
    moved = kappa + move(log_move)
    at = kappa if early else moved
    distance = (at[:, :, None] - first - torch.arange(c.shape[1])).abs() ** power
    phi = (-log_beta.exp()[:, :, None] * distance).exp()
    phi = (phi * log_alpha.exp()[:, :, None] if gain else phi).sum(1)
    phi = phi * mask if masked else phi
    phi = phi / phi.sum(1, keepdim=True) if norm else phi
    return (phi[:, None] @ c)[:, 0], phi, moved


def in_a_loop(h, kappa, c, mask, W, b):
    logs, K = (h @ W.T + b).double(), kappa.shape[1]
    new = kappa.double() + logs[:, 2 * K :].exp()
    phi = torch.zeros(c.shape[:2]).double()
    for u in range(c.shape[1]):
        for k in range(K):
            phi[:, u] += logs[:, k].exp() * torch.exp(-logs[:, K + k].exp() * (new[:, k] - u) ** 2)
    phi[~mask] = 0
    return [torch.einsum("bu,buv->bv", phi, c.double()).numpy(), phi.numpy(), new.numpy()]


def draw(log_pi, mu, sigma, rho, *, spread=lambda s: s, lean=lambda r: r, choose=None):
    k = torch.multinomial(log_pi.exp(), 1)[:, 0] if choose is None else choose(log_pi)
    rows = torch.arange(len(k))
    mu, sigma, rho = mu[rows, k], spread(sigma[rows, k]), lean(rho[rows, k])
    a, b = torch.randn(2, len(k))
    return mu + sigma * torch.stack([a, rho * a + (1 - rho**2).sqrt() * b], dim=1)


def by_cholesky(log_pi, mu, sigma, rho):
    k = torch.distributions.Categorical(logits=log_pi).sample()
    rows = torch.arange(len(k))
    sx, sy = sigma[rows, k].unbind(1)
    r = rho[rows, k]
    covariance = torch.stack([torch.stack([sx**2, r * sx * sy], 1), torch.stack([r * sx * sy, sy**2], 1)], 1)
    return torch.distributions.MultivariateNormal(mu[rows, k], covariance).sample().double().numpy()


def test_solutions_and_stubs():
    assert checks.by_hand(([1, 2, 1], 4)).state == "right"
    assert checks.offset(-math.log(16)).state == "right"
    accepts(checks.window, step)
    accepts(checks.sampler, draw)
    for check in (checks.by_hand, checks.offset):
        assert check(...).state == "not yet"


def test_other_right_answers_are_right():
    assert checks.by_hand((torch.tensor([1.0, 2, 1]), torch.tensor(4.0))).state == "right"
    assert checks.offset(torch.tensor(1 / 16).log()).state == "right"
    assert checks.window(in_a_loop).state == "right"
    assert checks.sampler(by_cholesky).state == "right"


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (([0.25, 0.5, 0.25], 1), "divided by their sum"),
        (([0.5, 1, 0.5], 2), "α is missing"),
        (([1.79, 1.56, 0.34], 3.69), "move κ first"),
        (([0.6137, 2, 0.6137], 3.2), "squared"),
        (([1, 2, 1], 1), "add them up"),
        (([5, 5, 5], 1), "κ is 0.4"),
        (([1, 2], 3), "shape"),
    ],
)
def test_slips_by_hand_are_named(answer, says):
    refuses(checks.by_hand, answer, says=says)


@pytest.mark.parametrize(
    ("answer", "says"),
    [(0.0625, "logarithm"), (2.7726, "sign"), (-4, "base e"), (-1.2041, "base e"), (16, "million"), (7, "1/16")],
)
def test_slips_of_the_start_are_named(answer, says):
    refuses(checks.offset, answer, says=says)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"move": lambda x: x}, "cannot fall"),
        ({"masked": False}, "mask"),
        ({"norm": True}, "no softmax"),
        ({"first": 1}, "from 0"),
        ({"early": True}, "after its move"),
        ({"power": 1}, "squared"),
        ({"gain": False}, "α is missing"),
    ],
)
def test_slips_of_a_window_are_named(more, says):
    refuses(checks.window, lambda *given: step(*given, **more), says=says)


def test_what_is_read_must_be_the_sum():
    def read(*given):
        w, phi, kappa = step(*given)
        return 2 * w, phi, kappa

    refuses(checks.window, read, says="φ is right")
    refuses(checks.window, lambda *given: step(*given)[:2], says="3 values")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"spread": torch.sqrt}, "not the variance"),
        ({"spread": torch.square}, "not the variance"),
        ({"spread": lambda s: 2 * s}, "spread"),
        ({"lean": torch.zeros_like}, "drawn apart"),
        ({"lean": lambda r: -r}, "by rho"),
        ({"choose": lambda log_pi: log_pi.argmax(1)}, "one Gaussian"),
        ({"choose": lambda log_pi: torch.randint(log_pi.shape[1], (len(log_pi),))}, "in shares of"),
    ],
)
def test_slips_of_a_sampler_are_named(more, says):
    refuses(checks.sampler, lambda *given: draw(*given, **more), says=says)


def test_a_mean_of_means_is_no_draw():
    def mean(log_pi, mu, sigma, rho):
        return (log_pi.exp()[..., None] * (mu + sigma * torch.randn_like(mu))).sum(1)

    refuses(checks.sampler, mean, says="mean of all means")
