"""Attention beside torch's fused kernel: read at once and read by blocks, as the sequences grow."""

from collections.abc import Callable, Iterator
from functools import partial

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from attend.soft.blocks import read_by_blocks
from attend.soft.read import read
from attend.soft.scores import scaled_dot
from benchmarks.case import Case

PASSES = ("forward", "forward+backward")
RATIO = "ours / torch"
BASE = {"B": 64, "T": 512, "H": 64}
"""64 sequences, as 8 of them are for 8 heads, of T queries and as many keys and values, 64 wide."""
LENGTHS = (64, 128, 256, 512, 1024)


def at_once(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """All weights of all queries in one table, as the pages show it."""
    return read(scaled_dot(queries, keys, {}), values).context


UNITS = {"at once": at_once, "by blocks": read_by_blocks}


class Reading(Case):
    """One comparison: which of `UNITS`, which pass, B sequences of T queries and T keys of width H."""

    def build(self) -> list[Tensor]:
        """Queries, keys and values (B, T, H), which ask for their gradients, and what the context is wanted to do."""
        generator = torch.Generator().manual_seed(0)
        drawn = [torch.randn(self.B, self.T, self.H, generator=generator) for _ in range(4)]
        return [*(tensor.requires_grad_() for tensor in drawn[:3]), drawn[3]]

    def runs(self) -> tuple[Callable, Callable]:
        """The two functions to be timed. torch's fused kernel takes four dimensions: the sequences are its heads."""
        run = _forward if self.does == "forward" else _both
        given = self.build()
        return partial(run, UNITS[self.unit], given), partial(run, _fused, given)


def _fused(*given: Tensor) -> Tensor:
    return scaled_dot_product_attention(*(tensor[None] for tensor in given))[0]


def _forward(read: Callable, given: list[Tensor]) -> Tensor:
    with torch.no_grad():
        return read(*given[:3])


def _both(read: Callable, given: list[Tensor]) -> Tensor:
    *inputs, wanted = given
    return torch.cat(torch.autograd.grad(read(*inputs), inputs, wanted))


def cases() -> Iterator[Reading]:
    """Both ways and both passes as T grows."""
    for T in LENGTHS:
        for unit in UNITS:
            for does in PASSES:
                yield Reading(unit, does, **{**BASE, "T": T})
