"""Exercises of the page on the Gaussian window."""

from collections.abc import Callable

import torch
from torch import Tensor

from attend.checks.answers import floats, number, parts, recognise, tensor
from attend.checks.exercise import Wrong, exercise


@exercise
def by_hand(answer: tuple) -> str:
    """The three weights, and their sum: K = 1, α = 2, β = ln 2, κ moves from 0.4 by e^(ln 0.6); letters 0, 1, 2."""
    weights, total = parts(answer, 2, "the answer")
    got, said = tensor(weights, 3, what="the weights"), number(total, "the sum")
    right = torch.tensor([1.0, 2.0, 1.0])
    if not torch.allclose(got, right, atol=0.01):
        before, logs = torch.tensor([0.4, 0.6, 1.6]), torch.tensor([1.0, 0.0, 1.0])
        recognise(
            (100 * got).round(),
            {
                "these are divided by their sum; this window does no such thing": (100 * right / 4).round(),
                "move κ first, then weigh: the letters meet the new κ": (100 * 2 * 0.5 ** (before**2)).round(),
                "α is missing, by which the bell is multiplied": (100 * right / 2).round(),
                "the distance is to be squared, and β stands in an exponent: α times e to the minus β d²": (
                    100 * 2 * (1 - logs * 0.6931)
                ).round(),
            },
        )
        raise Wrong(
            "κ is 0.4 + 0.6 = 1. A letter at the distance d from it has the weight 2 · e^(−d² ln 2) = 2 · ½^(d²)"
        )
    if abs(said - 4) > 0.02:
        raise Wrong("the weights are right; add them up, and do not expect 1")
    return "1, 2, 1: the letter under the centre counts twice, and nothing makes the sum 1."


@exercise
def offset(answer: float) -> str:
    """At which bias of κ̂ the window starts at one letter in 16 steps."""
    got = number(answer)
    if abs(got + 2.7726) < 0.03:
        return "ln(1/16) = −2.77: the window starts at the pace of the pen."
    wrong = {
        0.0625: "that is the move itself, exp of the bias; the bias is its logarithm",
        2.7726: "the sign: exp(2.77) is 16 letters a step",
        -4.0: "exp is to the base e, not 2",
        -1.2041: "exp is to the base e, not 10",
        16.0: "exp of that is nine million letters a step",
    }
    for value, says in wrong.items():
        if abs(got - value) < 0.01:
            raise Wrong(says)
    raise Wrong("a step is exp(bias) letters long, and is to be 1/16")


@exercise
def window(step: Callable) -> str:
    """step(h, kappa, c, mask, W, b) -> what is read (B, V), the weights φ (B, U), the new κ (B, K)."""
    for seed, (B, H, K, U, V) in enumerate(((2, 5, 3, 4, 7), (3, 4, 2, 6, 5), (1, 3, 1, 5, 2))):
        generator = torch.Generator().manual_seed(seed)
        h, c, b = (torch.randn(shape, generator=generator) for shape in ((B, H), (B, U, V), (3 * K,)))
        W, kappa = 0.4 * torch.randn(3 * K, H, generator=generator), 2 * torch.rand(B, K, generator=generator)
        mask = torch.arange(U) < torch.arange(U, U - B, -1)[:, None]
        answer = parts(step(h, kappa.clone(), c, mask, W, b), 3, "the answer")
        w, phi = tensor(answer[0], B, V, what="what is read"), tensor(answer[1], B, U, what="the weights")
        moved = tensor(answer[2], B, K, what="κ")
        logs = h @ W.T + b
        alpha, beta, move = logs.exp().chunk(3, dim=1)
        if not torch.allclose(moved, kappa + move, rtol=1e-3, atol=1e-4):
            recognise(
                moved,
                {
                    "κ moves by exp of its number, so that it cannot fall": kappa + logs.chunk(3, dim=1)[2],
                    "κ goes on from where it was: add": move,
                    "the order is α, β, κ: the last K numbers move it": kappa + alpha,
                },
            )
            raise Wrong("the new κ is the old one plus exp of the last K of the 3 K numbers W h + b")
        right = _phi(alpha, beta, kappa + move, U) * mask
        if not torch.allclose(phi, right, rtol=1e-3, atol=1e-4):
            unmasked = _phi(alpha, beta, kappa + move, U)
            recognise(
                phi,
                {
                    "where the mask is False there is no letter: its weight must be 0": unmasked,
                    "these weights sum to one; this window has no softmax and no division": right
                    / right.sum(1, keepdim=True),
                    "letters are numbered from 0, as κ starts there": _phi(alpha, beta, kappa + move - 1, U) * mask,
                    "weigh the letters by the κ after its move": _phi(alpha, beta, kappa, U) * mask,
                    "the distance between κ and letter is squared": _phi(alpha, beta, kappa + move, U, 1) * mask,
                    "α is missing": _phi(torch.ones_like(alpha), beta, kappa + move, U) * mask,
                    "β is missing": _phi(alpha, torch.ones_like(beta), kappa + move, U) * mask,
                    "sum over the K Gaussians, no mean": right / K,
                },
            )
            raise Wrong(f"κ is right and φ is not, with K = {K} Gaussians and U = {U} letters: Σ α exp(−β (κ − u)²)")
        if not torch.allclose(w, (right[:, None] @ c)[:, 0], rtol=1e-3, atol=1e-4):
            raise Wrong("φ is right; what is read is the sum of the rows of c, each times its weight")
    return "A window of your own: it moves to the right, reads by distance, and needs no softmax."


def _phi(alpha: Tensor, beta: Tensor, kappa: Tensor, U: int, power: int = 2) -> Tensor:
    distance = (kappa[:, :, None] - torch.arange(U)).abs() ** power
    return (alpha[:, :, None] * (-beta[:, :, None] * distance).exp()).sum(1)


MANY = 20_000
"""Steps that a learner's sampler is asked for."""


@exercise
def sampler(draw: Callable) -> str:
    """draw(log_pi, mu, sigma, rho) -> (N, 2) moves, one for each row; log_pi, rho (N, M), mu, sigma (N, M, 2)."""
    torch.manual_seed(0)
    for given in (
        ([0.3, 0.7], [[-2.0, 1.0], [3.0, 0.0]], [[0.5, 0.2], [0.3, 0.6]], [0.8, -0.5]),
        (
            [0.6, 0.1, 0.3],
            [[0.0, 4.0], [5.0, 5.0], [-4.0, -1.0]],
            [[0.2, 0.9], [0.4, 0.4], [0.7, 0.3]],
            [-0.9, 0.0, 0.6],
        ),
    ):
        pi, mu, sigma, rho = (torch.tensor(part) for part in given)
        rows = (part.expand(MANY, *part.shape) for part in (pi.log(), mu, sigma, rho))
        got = floats(draw(*rows), f"the answer must be a tensor of shape ({MANY}, 2)")
        moves = tensor(got, MANY, 2)
        nearest = ((moves[:, None] - mu) / sigma.clamp(min=0.3)).square().sum(2).argmin(1)
        shares = torch.stack([(nearest == k).float().mean() for k in range(len(pi))])
        mean = (pi[:, None] * mu).sum(0)
        if (moves.mean(0) - mean).abs().max() < 0.1 and (shares - pi).abs().max() > 0.1:
            raise Wrong("these lie around the mean of all means; choose one Gaussian for each row, then draw from it")
        if shares.max() > 0.99:
            raise Wrong("all rows come from one Gaussian: choose by chance, with the probabilities exp(log_pi)")
        if (shares - pi).abs().max() > 0.03:
            said = ", ".join(f"{share:.2f}" for share in shares.tolist())
            raise Wrong(f"Gaussians were chosen in shares of {said}; their probabilities are exp(log_pi)")
        for k in range(len(pi)):
            chosen = moves[nearest == k]
            spread = chosen.std(0)
            if (spread / sigma[k] - 1).abs().max() > 0.12:
                if (spread / sigma[k].sqrt() - 1).abs().max() < 0.12 or (spread / sigma[k] ** 2 - 1).abs().max() < 0.12:
                    raise Wrong("sigma is the standard deviation, not the variance: no root, no square")
                raise Wrong("the moves spread more or less than sigma, the standard deviation of dx and of dy")
            found = torch.corrcoef(chosen.T)[0, 1].item()
            if abs(found - rho[k].item()) > 0.08:
                if abs(found) < 0.05:
                    raise Wrong("dx and dy are drawn apart: with rho they lean on each other")
                raise Wrong("dx and dy lean on each other, but not by rho: dy takes rho of a and √(1 − rho²) of b")
    return "One Gaussian, two draws, one correlation: that is a pen step."
