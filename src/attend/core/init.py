"""Initialisation in the idiom of `torch.nn.init`: in place, and repeatable by a generator."""

import torch
from torch import nn

from attend.core.expect import checked
from attend.core.types import PositiveFloat

__all__ = ["embedding_", "linear_"]


@checked
@torch.no_grad()
def linear_(layer: nn.Linear, generator: torch.Generator | None = None) -> nn.Linear:
    """Weights uniform in ±√(1 / in_features), as torch draws them, and a bias of zero; returns the layer."""
    bound = layer.in_features**-0.5
    nn.init.uniform_(layer.weight, -bound, bound, generator=generator)
    nn.init.zeros_(layer.bias)
    return layer


@checked
@torch.no_grad()
def embedding_(layer: nn.Embedding, std: PositiveFloat = 1.0, generator: torch.Generator | None = None) -> nn.Embedding:
    """Vectors drawn from a normal distribution with standard deviation `std`; returns the layer."""
    layer.weight.copy_(std * torch.randn(layer.weight.shape, generator=generator))
    return layer
