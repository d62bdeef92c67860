"""Attention with many heads, and a whole layer around it, beside torch's: the same weights, input and gradients."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor, nn

from attend.transformers.block import EncoderBlock
from attend.transformers.multihead import MultiHead
from benchmarks.case import Case
from benchmarks.twin import attention_twin, layer_twin

UNITS = ("multi-head", "encoder layer")
PASSES = ("forward", "forward+backward")
BASE = {"B": 16, "T": 128, "H": 256}
"""16 sequences of T steps, 256 wide, in heads that are 64 wide; a layer thinks with four times as many units."""
LENGTHS = (32, 64, 128, 256, 512)
HEAD = 64
RATIO = "ours / torch"


class Layer(Case):
    """One comparison: which of `UNITS`, which pass, B sequences of T steps of width H."""

    def build(self) -> tuple[nn.Module, nn.Module, Tensor, Tensor]:
        """Ours, torch's with our weights, an input (B, T, H) that asks for its gradient, and what is wanted of it."""
        generator = torch.Generator().manual_seed(0)
        K = max(1, self.H // HEAD)
        if self.unit == "multi-head":
            ours = MultiHead(self.H, K, generator=generator)
            theirs = attention_twin(ours)
        else:
            ours = EncoderBlock(self.H, K, 4 * self.H, generator=generator)
            theirs = layer_twin(ours)
        x, wanted = (torch.randn(self.B, self.T, self.H, generator=generator) for _ in range(2))
        return ours, theirs, x.requires_grad_(), wanted

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed. torch's attention is told to keep its weights to itself, as ours does."""
        ours, theirs, x, wanted = self.build()
        own, other = (_looks, _looks_of_torch) if self.unit == "multi-head" else (_call, _call)
        run = _forward if self.does == "forward" else _both
        return partial(run, own, ours, x, wanted), partial(run, other, theirs, x, wanted)


def _call(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)


def _looks(attention: MultiHead, x: Tensor) -> Tensor:
    return attention(x, x)


def _looks_of_torch(attention: nn.MultiheadAttention, x: Tensor) -> Tensor:
    return attention(x, x, x, need_weights=False)[0]


def _forward(call: Callable, model: nn.Module, x: Tensor, wanted: Tensor) -> Tensor:
    with torch.no_grad():
        return call(model, x)


def _both(call: Callable, model: nn.Module, x: Tensor, wanted: Tensor) -> Tensor:
    """The gradient of x; those of all weights are computed with it."""
    return torch.autograd.grad(call(model, x), [x, *model.parameters()], wanted)[0]


def cases() -> Iterator[Layer]:
    """Both units and both passes as T grows."""
    for T in LENGTHS:
        for unit in UNITS:
            for does in PASSES:
                yield Layer(unit, does, **{**BASE, "T": T})
