"""Coin flips: streams from coins of unknown bias, and sticky coins whose last flip matters."""

import torch
from jaxtyping import Float
from torch import Tensor

from attend.core.expect import checked, expect


@checked
def sample(
    batch: int, T: int, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B"]]:
    """`batch` coins, each with a bias drawn evenly from 0 to 1, flipped T times: flips (1 is heads) and biases."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(T > 0, "T", T, "a positive whole number")
    bias = torch.rand(batch, generator=generator)
    return (torch.rand(batch, T, generator=generator) < bias.unsqueeze(1)).float(), bias


@checked
def sample_sticky(
    batch: int, T: int, generator: torch.Generator | None = None
) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B"]]:
    """Coins that repeat their last flip with a probability drawn evenly from 0 to 1: flips and those probabilities."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    expect(T > 0, "T", T, "a positive whole number")
    stickiness = torch.rand(batch, generator=generator)
    changes = (torch.rand(batch, T, generator=generator) >= stickiness.unsqueeze(1)).float()
    changes[:, 0] = (torch.rand(batch, generator=generator) < 0.5).float()
    return changes.cumsum(1) % 2, stickiness


@checked
def spell(flips: Float[Tensor, "T"]) -> str:
    """One stream to look at: `H T H`."""
    return " ".join("TH"[int(flip)] for flip in flips)
