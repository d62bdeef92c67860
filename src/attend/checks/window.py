"""Exercises of the page on window."""

from collections.abc import Callable

import torch

from attend.checks.answers import recognise, tensor, whole
from attend.checks.exercise import Wrong, exercise


@exercise
def forward(forward: Callable) -> str:
    """forward(x, W, b) -> y_t = W x_t + b for every step; x is (B, T, D), W is (H, D), b is (H)."""
    generator = torch.Generator().manual_seed(0)
    x, W, b = (torch.randn(*shape, generator=generator) for shape in ((2, 3, 4), (5, 4), (5,)))
    got, right = tensor(forward(x, W, b), 2, 3, 5), x @ W.T + b
    if not torch.allclose(got, right, atol=1e-5):
        recognise(got, {"the bias is missing": x @ W.T})
        raise Wrong("TODO: the claim that this answer breaks")
    return "TODO: what the reader has found."


@exercise
def parameters(parameters: Callable) -> str:
    """parameters(D, H) -> how many numbers the layer learns."""
    for D, H in ((1, 1), (3, 5)):
        if whole(parameters(D, H)) != H * (D + 1):
            raise Wrong(f"with D = {D} and H = {H} there are {H} x {D} weights and {H} biases")
    return "TODO: what the reader has found."
