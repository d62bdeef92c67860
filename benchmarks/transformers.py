"""Attention with many heads, and a whole encoder layer, beside torch's: the same weights, input and gradients."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor, nn

from attend.fast import fast
from attend.transformers.blocks import EncoderBlock
from attend.transformers.heads import MultiHeadAttention
from benchmarks.case import Case
from benchmarks.twin import attention_twin, layer_twin

UNITS = ("multi-head", "encoder layer")
PASSES = ("forward", "forward+backward")
BASE = {"B": 16, "T": 128, "H": 256}
"""16 sequences of T positions, 256 wide, in heads that are 64 wide; a feed-forward layer is four times as wide."""
LENGTHS = {32: 16, 64: 16, 128: 16, 256: 8, 512: 4, 1024: 2, 2048: 1}
"""How many sequences of each length."""
HEAD = 64
RATIO = "ours / torch"


class Layer(Case):
    """One comparison: which of `UNITS`, which pass, B sequences of T positions of width H."""

    def build(self) -> tuple[nn.Module, nn.Module, Tensor, Tensor]:
        """Ours (fast), torch's with our weights, an input (B, T, H) that asks for its gradient, and a gradient of the

        output.
        """
        generator = torch.Generator().manual_seed(0)
        num_heads = max(1, self.H // HEAD)
        if self.unit == "multi-head":
            ours = MultiHeadAttention(self.H, num_heads, generator=generator)
            theirs = attention_twin(ours)
        else:
            ours = EncoderBlock(self.H, num_heads, 4 * self.H, generator=generator)
            theirs = layer_twin(ours)
        x, gradient = (torch.randn(self.B, self.T, self.H, generator=generator) for _ in range(2))
        return fast(ours), theirs, x.requires_grad_(), gradient

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed. torch's attention is told to keep its weights to itself, as ours does."""
        ours, theirs, x, gradient = self.build()
        other = _attention_of_torch if self.unit == "multi-head" else _call
        run = _forward if self.does == "forward" else _both
        return partial(run, _call, ours, x, gradient), partial(run, other, theirs, x, gradient)


def _call(layer: nn.Module, x: Tensor) -> Tensor:
    return layer(x)


def _attention_of_torch(attention: nn.MultiheadAttention, x: Tensor) -> Tensor:
    return attention(x, x, x, need_weights=False)[0]


def _forward(call: Callable, model: nn.Module, x: Tensor, gradient: Tensor) -> Tensor:
    with torch.no_grad():
        return call(model, x)


def _both(call: Callable, model: nn.Module, x: Tensor, gradient: Tensor) -> Tensor:
    """The gradient of x; those of all weights are computed with it."""
    return torch.autograd.grad(call(model, x), [x, *model.parameters()], gradient)[0]


def cases() -> Iterator[Layer]:
    """Both units and both passes as T grows."""
    for T, B in LENGTHS.items():
        for unit in UNITS:
            for does in PASSES:
                yield Layer(unit, does, **{**BASE, "T": T, "B": B})
