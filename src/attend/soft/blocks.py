"""Scaled dot-product attention, a block of queries at a time: as fast as a fused kernel, on tensor operations alone.

Source   Rabe & Staats 2021, arXiv:2112.05682, and Dao et al. 2022, arXiv:2205.14135 (blocks; the gradient of the
         softmax from the context alone).
Departs  the weights of all blocks are kept for the way back, where both sources compute them again.
Agrees   torch.nn.functional.scaled_dot_product_attention, and attend.soft.read.read with scaled dot products, in values
         and gradients (tests/soft/test_blocks.py).
"""

from collections.abc import Iterator

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from attend.core.expect import checked, expect

BLOCK = 2**18
"""Scores that are worked on at a time: one megabyte, which a processor keeps close at hand."""


@checked
def read_by_blocks(
    queries: Float[Tensor, "B T Q"],
    keys: Float[Tensor, "B S Q"],
    values: Float[Tensor, "B S K"],
    mask: Bool[Tensor, "B S"] | Bool[Tensor, "B T S"] | None = None,
    block: int = BLOCK,
) -> Float[Tensor, "B T K"]:
    """The context of each query: softmax(q kᵀ / √Q) v, where `mask` is False nothing is read.

    At most about `block` scores are worked on at a time. The gradient is written by hand and can be differentiated no
    further. Raises ValueError for a row that may look nowhere and a block that is not positive.
    """
    expect(block > 0, "block", block, "a positive whole number")
    if mask is not None:
        expect(bool(mask.any(dim=-1).all()), "mask", mask, "at least one visible place in every row")
        mask = mask if mask.ndim == 3 else mask[:, None]
    return _ByBlocks.apply(queries, keys, values, mask, block)


def _blocks(B: int, T: int, S: int, block: int) -> Iterator[tuple[slice, slice]]:
    """Rows and queries of each block: many whole rows, or a part of one."""
    rows, part = max(1, block // (T * S)), max(1, min(T, block // S))
    for row in range(0, B, rows):
        for query in range(0, T, part):
            yield slice(row, row + rows), slice(query, query + part)


class _ByBlocks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, block: int) -> Tensor:
        (B, T, Q), S = queries.shape, keys.shape[1]
        scaled = queries * Q**-0.5
        context, kept = queries.new_empty(B, T, values.shape[2]), []
        for rows, part in _blocks(B, T, S, block):
            weights = torch.bmm(scaled[rows, part], keys[rows].mT)
            if mask is not None:
                seen = mask[rows] if mask.shape[1] == 1 else mask[rows, part]
                weights.masked_fill_(~seen, -torch.inf)
            torch.softmax(weights, dim=2, out=weights)
            torch.bmm(weights, values[rows], out=context[rows, part])
            kept.append(weights)
        ctx.save_for_backward(scaled, keys, values, context, *kept)
        ctx.block = block
        return context

    @staticmethod
    @once_differentiable
    def backward(ctx, wanted: Tensor) -> tuple[Tensor | None, ...]:
        scaled, keys, values, context, *kept = ctx.saved_tensors
        (B, T, Q), S = scaled.shape, keys.shape[1]
        to_queries, to_keys, to_values = torch.empty_like(scaled), torch.zeros_like(keys), torch.zeros_like(values)
        # A weight's pull minus the mean pull of all weights is what moves its score; the mean is wanted · context.
        mean = (wanted * context).sum(dim=2, keepdim=True).neg_()
        for (rows, part), weights in zip(_blocks(B, T, S, ctx.block), kept, strict=True):
            to_values[rows].baddbmm_(weights.mT, wanted[rows, part])
            to_scores = torch.baddbmm(mean[rows, part], wanted[rows, part], values[rows].mT).mul_(weights)
            torch.bmm(to_scores, keys[rows], out=to_queries[rows, part])
            to_keys[rows].baddbmm_(to_scores.mT, scaled[rows, part])
        return to_queries.mul_(Q**-0.5), to_keys, to_values, None, None
