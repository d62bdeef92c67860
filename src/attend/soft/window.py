"""Handwriting from text: a window of Gaussians slides over the letters while an LSTM moves the pen.

Source   Graves 2013, arXiv:1308.0850, sections 4.1 (mixture densities) and 5 (window, bias, when to stop).
Departs  one LSTM in place of three, three Gaussians in place of ten; letters are numbered from 0, so that the window
         starts on the first; the text ends with an END of its own, where Graves looks one place beyond it, and the pen
         is to be lifted there; deviations have a floor, correlations stay below 0.95.
Agrees   torch.nn.LSTM with the window's output put in, torch's MixtureSameFamily of MultivariateNormal, and a loop
         over Gaussians and letters, in values and gradients (tests/soft/test_window.py).
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Finite, Lengths, NonNegativeFloat, Plural, Positive, Tokens


# Listings have at most 76 columns once annotations are gone.
# fmt: off
class GaussianWindow(nn.Module):
    """Reads a row of vectors through K Gaussians whose centres only move to the right."""

    @checked
    def __init__(self, hidden_size: Positive, K: Positive = 3, offset: Finite = -2.5):
        super().__init__()
        self.hidden_size, self.K = hidden_size, K
        self.linear = nn.Linear(hidden_size, 3 * K)
        nn.init.zeros_(self.linear.bias)
        nn.init.constant_(self.linear.bias[2 * K:], offset)   # start slowly

    @checked
    def forward(
        self,
        h: Float[Tensor, "B {self.hidden_size}"],
        kappa: Float[Tensor, "B {self.K}"],
        c: Float[Tensor, "B U V"],
    ) -> tuple[Float[Tensor, "B V"], Float[Tensor, "B U"], Float[Tensor, "B K"]]:
        """One step: what the window reads of c, its weights, and where its Gaussians stand now."""
        return self.step(h, kappa, c)

    def step(self, h, kappa, c):            # (B, H), (B, K), (B, U, V)
        """The same, unchecked."""
        alpha, beta, move = self.linear(h).exp().chunk(3, dim=1)  # (B, K)
        kappa = kappa + move                         # never to the left
        u = torch.arange(c.shape[1], device=c.device)
        distance = kappa[:, :, None] - u                       # (B, K, U)
        bells = (-beta[:, :, None] * distance ** 2).exp()
        phi = (alpha[:, :, None] * bells).sum(dim=1)           # (B, U)
        w = (phi[:, None] @ c)[:, 0]                           # (B, V)
        return w, phi, kappa


class Mixture(NamedTuple):
    """M bivariate Gaussians for the next pen step: log weights, means, deviations, correlations (…, M); and a lift.

    `lift` (…) is the logit of the probability that the pen is lifted after the step.
    """

    log_pi: Float[Tensor, "*batch M"]
    mu_x: Float[Tensor, "*batch M"]
    mu_y: Float[Tensor, "*batch M"]
    sigma_x: Float[Tensor, "*batch M"]
    sigma_y: Float[Tensor, "*batch M"]
    rho: Float[Tensor, "*batch M"]
    lift: Float[Tensor, "*batch"]


@checked
def mixture(output: Float[Tensor, "*batch N"], bias: NonNegativeFloat = 0.0) -> Mixture:
    """What 6 M + 1 numbers of a network mean. With a bias deviations shrink, and likely things become likelier."""
    pi, mu_x, mu_y, s_x, s_y, rho = output[..., :-1].chunk(6, dim=-1)
    return Mixture(
        (pi * (1 + bias)).log_softmax(dim=-1), mu_x, mu_y,
        (s_x - bias).exp() + 0.04, (s_y - bias).exp() + 0.04,  # a floor
        0.95 * rho.tanh(), output[..., -1] * (1 + bias))


@checked
def nll(
    output: Float[Tensor, "B T N"], pen: Float[Tensor, "B T 3"], mask: Bool[Tensor, "B T"]
) -> Float[Tensor, ""]:
    """Negative log-likelihood of pen steps, in nats a step: that of the move, and that of the lift."""
    log_pi, mu_x, mu_y, sigma_x, sigma_y, rho, lift = mixture(output)
    a = (pen[..., :1] - mu_x) / sigma_x                    # (B, T, M)
    b = (pen[..., 1:2] - mu_y) / sigma_y
    rest = 1 - rho ** 2
    log_normal = (-(a ** 2 + b ** 2 - 2 * rho * a * b) / (2 * rest)
                  - torch.log(2 * math.pi * sigma_x * sigma_y
                              * rest.sqrt()))
    move = -(log_pi + log_normal).logsumexp(dim=-1)        # (B, T)
    up = F.binary_cross_entropy_with_logits(
        lift, pen[..., 2], reduction="none")
    return (move + up)[mask].mean()


@checked
def draw_step(m: Mixture, generator: torch.Generator | None = None) -> Float[Tensor, "B 3"]:
    """One pen step (dx, dy, lift) of each mixture, drawn by chance; `m` holds tensors (B, M) and (B)."""
    k = torch.multinomial(m.log_pi.exp(), 1, generator=generator)
    mu_x, mu_y, sigma_x, sigma_y, rho = (
        part.gather(1, k)[:, 0] for part in m[1:6])
    a, b = torch.randn(
        2, len(k), generator=generator, device=k.device, dtype=rho.dtype)
    dx = mu_x + sigma_x * a
    dy = mu_y + sigma_y * (rho * a + (1 - rho ** 2).sqrt() * b)
    lift = torch.rand(
        len(k), generator=generator, device=k.device) < m.lift.sigmoid()
    return torch.stack([dx, dy, lift.to(dx.dtype)], dim=1)


class Handwriter(nn.Module):
    """Letters in, pen steps out: an LSTM, a Gaussian window over the letters, a mixture density for the pen.

    `M` is the number of bivariate Gaussians of the density, `K` that of the window, `offset` where the bias of its
    moves starts.
    """

    @checked
    def __init__(
        self, vocab_size: Plural, hidden_size: Positive = 96, K: Positive = 3, M: Positive = 5, offset: Finite = -2.5
    ):
        super().__init__()
        self.vocab_size, self.hidden_size, self.K = (
            vocab_size, hidden_size, K)
        self.lstm = nn.LSTMCell(3 + vocab_size, hidden_size)
        self.window = GaussianWindow(hidden_size, K, offset)
        self.output = nn.Linear(hidden_size + vocab_size, 6 * M + 1)

    def start(self, text, letters):
        """The letters as vectors, zero where there is none, and the state before the first step."""
        c = F.one_hot(text, self.vocab_size) * letters[:, :, None]
        c = c.to(self.output.weight.dtype)                     # (B, U, V)
        H, V, K = self.hidden_size, self.vocab_size, self.K
        return c, tuple(c.new_zeros(len(c), n) for n in (H, H, V, K))

    def step(self, x, c, state):
        """One step of the pen: what the density is computed of, the new state, and the weights of the letters."""
        h, cell, w, kappa = state
        h, cell = self.lstm(torch.cat([x, w], dim=1), (h, cell))
        w, phi, kappa = self.window.step(h, kappa, c)
        return torch.cat([h, w], dim=1), (h, cell, w, kappa), phi

    @checked
    def forward(
        self,
        pen: Float[Tensor, "B T 3"],
        text: Tokens["B U", "self.vocab_size"],
        letters: Lengths["B U"],
    ) -> tuple[Float[Tensor, "B T N"], Float[Tensor, "B T U"], Float[Tensor, "B T K"]]:
        """Teacher forcing: the density of each step given the true ones before it; the window's φ and κ."""
        c, state = self.start(text, letters)
        x = pen.new_tensor([0.0, 0.0, 1.0]).expand(len(pen), 3)
        features, phis, kappas = [], [], []
        for following in pen.unbind(dim=1):
            feature, state, phi = self.step(x, c, state)
            features.append(feature)
            phis.append(phi)
            kappas.append(state[3])
            x = following
        output = self.output(torch.stack(features, dim=1))
        return output, torch.stack(phis, dim=1), torch.stack(kappas, dim=1)

    @torch.no_grad()
    @checked
    def write(
        self,
        text: Tokens["1 U", "self.vocab_size"],
        bias: NonNegativeFloat = 0.0,
        most: Positive = 600,
        generator: torch.Generator | None = None,
    ) -> tuple[Float[Tensor, "T 3"], Float[Tensor, "T U"], Float[Tensor, "T K"]]:
        """Write one text until the window is on its last place, END, and the pen is lifted; at most `most` steps."""
        c, state = self.start(text, torch.ones_like(text, dtype=torch.bool))
        x, rows = c.new_tensor([[0.0, 0.0, 1.0]]), []
        for _ in range(most):
            feature, state, phi = self.step(x, c, state)
            x = draw_step(mixture(self.output(feature), bias), generator)
            rows.append((x[0], phi[0], state[3][0]))
            if phi[0].argmax() == text.shape[1] - 1 and x[0, 2] == 1:
                break
        return tuple(torch.stack(part) for part in zip(*rows, strict=True))
