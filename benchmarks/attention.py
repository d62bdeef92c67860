"""Scaled dot-product attention beside torch's fused kernel: the listing and the fast one, as the sequences grow."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attend.fast.attention import fused_attention
from attend.transformers.self_attention import attention
from benchmarks.case import Case

PASSES = ("forward", "forward+backward")
RATIO = "ours / torch"
BASE = {"B": 16, "T": 512, "H": 64}
"""16 sequences, as 2 of them are for 8 heads, of T queries and as many keys and values, 64 wide."""
LENGTHS = {32: 64, 64: 64, 128: 64, 256: 32, 512: 16, 1024: 4, 2048: 1}
"""How many sequences of each length."""


def listing(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """All weights of all queries in one table, as the pages show it."""
    return attention(query, key, value)[0]


UNITS = {"listing": listing, "fast": fused_attention}


class Attending(Case):
    """One comparison: which of `UNITS`, which pass, B sequences of T queries and T keys of width H."""

    def build(self) -> list[Tensor]:
        """Queries, keys and values (1, B, T, H), which ask for their gradients, and a gradient of the output."""
        generator = torch.Generator().manual_seed(0)
        drawn = [torch.randn(1, self.B, self.T, self.H, generator=generator) for _ in range(4)]
        return [*(tensor.requires_grad_() for tensor in drawn[:3]), drawn[3]]

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed. The sequences are heads of one."""
        run = _forward if self.does == "forward" else _both
        given = self.build()
        return partial(run, UNITS[self.unit], given), partial(run, scaled_dot_product_attention, given)


def _forward(attend: Callable, given: list[Tensor]) -> Tensor:
    with torch.no_grad():
        return attend(*given[:3])


def _both(attend: Callable, given: list[Tensor]) -> Tensor:
    *inputs, gradient = given
    return torch.cat(torch.autograd.grad(attend(*inputs), inputs, gradient))


def cases() -> Iterator[Attending]:
    """Both ways and both passes as T grows."""
    for T, B in LENGTHS.items():
        for unit in UNITS:
            for does in PASSES:
                yield Attending(unit, does, **{**BASE, "T": T, "B": B})
