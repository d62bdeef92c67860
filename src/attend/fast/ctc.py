"""The CTC loss faster: by torch's own kernel, in C++, or in one loop over rescaled probabilities.

Agrees   attend.soft.ctc.CTCLoss and ctc_loss, in values and gradients (tests/fast/test_ctc.py).
"""

import math
from collections.abc import Iterator

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F
from torch.nn.functional import ctc_loss

from attend.core.expect import checked, expect
from attend.core.types import Lengths
from attend.soft.ctc import CTCLoss, lattice

LEAST = 1e-300
"""What a sum of probabilities is taken for when it is smaller, so that it can divide."""
FEW = 2**15
"""Numbers in one operation: with no more of them torch does not wake its other threads, and need not wait for them."""


class FastCTCLoss(CTCLoss):
    """A CTCLoss whose forward takes a tenth of the time, or less."""

    @checked
    def forward(
        self,
        log_probs: Float[Tensor, "B T V"],
        mask: Lengths["B T"],
        target: Int[Tensor, "B L"],
        asked: Lengths["B L"],
    ) -> Float[Tensor, ""]:
        """What CTCLoss's forward returns."""
        return ctc_loss(log_probs.transpose(0, 1), target, mask.sum(dim=1), asked.sum(dim=1))


@checked
def ctc_loss_scaled(
    log_probs: Float[Tensor, "B T V"],
    mask: Lengths["B T"],
    target: Int[Tensor, "B L"],
    asked: Lengths["B L"],
) -> Float[Tensor, "B"]:
    """What attend.soft.ctc.ctc_loss returns, and its gradient from `forward_backward_scaled`."""
    _tokens_of(target, log_probs)
    return _Scaled.apply(log_probs, mask, target, asked)


@checked
def forward_backward_scaled(
    log_probs: Float[Tensor, "B T V"],
    mask: Lengths["B T"],
    target: Int[Tensor, "B L"],
    asked: Lengths["B L"],
) -> tuple[Float[Tensor, "B"], Float[Tensor, "B T V"]]:
    """-ln p(target | x) of each row, and the posterior of each token in each frame, both in double precision.

    Probabilities, not logarithms, divided by their sum in every frame (Graves et al. 2006, section 4.1). What beta does
    from the end, alpha does on a lattice that is turned round, so one loop does both. A row that no path says has an
    infinite loss and posteriors of 0; so has one whose every path falls 1e-300 below others on the way.
    """
    _tokens_of(target, log_probs)
    return _both_ways(log_probs, mask, target, asked, torch.double)


def _tokens_of(target: Tensor, log_probs: Tensor) -> None:
    V = log_probs.shape[-1]
    expect(bool((target >= 0).all() and (target < V).all()), "target", target, f"tokens from 0 to {V - 1}")


def _both_ways(
    log_probs: Tensor, mask: Tensor, target: Tensor, asked: Tensor, dtype: torch.dtype
) -> tuple[Tensor, Tensor]:
    """What `forward_backward_scaled` returns, with posteriors of `dtype`.

    The walk takes one frame after the other, all else a few at a time. And exp and log ask all threads even for a few
    numbers, where exp2 and xlogy do not.
    """
    tokens, skip = lattice(target)
    B, T, N, V = *mask.shape, tokens.shape[1], log_probs.shape[2]
    n, t = torch.arange(N, device=mask.device), torch.arange(T, device=mask.device)
    lengths, rows = mask.sum(dim=1, keepdim=True), 2 * asked.sum(dim=1, keepdim=True) + 1
    turned_t, turned_n = (lengths - 1 - t) % T, (rows - 1 - n) % N  # the last frame and row come first
    few = max(1, FEW // (2 * B * N))
    parts = [slice(first, first + few) for first in range(0, T, few)]

    def turn(x: Tensor, part: slice) -> Tensor:
        """Some frames of `x` (T * N, B) turned round, (t, N, B)."""
        places = turned_t.T[part, None] * N + turned_n.T
        return x.gather(0, places.view(-1, B)).view(-1, N, B)

    emit = torch.empty(T, N, B, dtype=torch.double, device=mask.device)
    for part in parts:
        said = log_probs[:, part].gather(2, tokens[:, None].expand(B, len(t[part]), N))
        emit[part] = said.masked_fill((n >= rows)[:, None], -torch.inf).permute(1, 2, 0)
        emit[part].mul_(1 / math.log(2)).exp2_()

    def frames() -> Iterator[Tensor]:
        """What both directions emit, side by side, (N, 2B)."""
        for part in parts:
            yield from torch.cat([emit[part], turn(emit.view(-1, B), part)], dim=2).unbind(0)

    jump = torch.cat([skip, F.pad(skip, (0, 2))[:, 2:].gather(1, turned_n)]).T.double().contiguous()
    ways, sums = _walk(frames(), T, jump)
    last = torch.cat([rows - 2, rows - 1], dim=1).T  # the rows in which a path may end
    posterior, ends = emit.new_empty(B, T, V, dtype=dtype), emit.new_empty(T, B)
    for part in parts:
        alpha = emit[part].mul_(ways[part, :, :B])
        ends[part] = alpha.gather(1, last.expand(len(alpha), 2, B)).sum(dim=1)
        through = turn(ways.view(T * N, 2 * B)[:, B:], part).mul_(alpha)  # beta times alpha
        through.mul_(mask.T[part, None] / through.sum(dim=1, keepdim=True).clamp(min=LEAST))
        of_token = emit.new_zeros(len(through), V, B).scatter_add_(1, tokens.T.expand(through.shape), through)
        posterior[:, part] = of_token.permute(2, 0, 1)
    logs = torch.xlogy(1.0, torch.where(t == lengths - 1, ends.T, sums[:, :B].T)).masked_fill(~mask, 0.0)
    return -logs.sum(dim=1), posterior


def _walk(frames: Iterator[Tensor], T: int, jump: Tensor) -> tuple[Tensor, Tensor]:
    """The ways into the nodes of W lattices, (T, N, W), and the sums (T, W) by which the frames' states were divided.

    Each of the T frames (N, W) says how likely the rows' tokens are; `jump` (N, W) is 1 where one may go down two rows.
    """
    N, W = jump.shape
    ways, sums, padded = jump.new_empty(T, N, W), jump.new_empty(T, W), jump.new_zeros(N + 2, W)
    state, above, twice = padded[2:], padded[1:-1], padded[:-2]  # each node's own, and those one and two rows above
    ways[0], ways[0, :2], least = 0.0, 1.0, jump.new_tensor(LEAST)
    for t, (emit, way, total) in enumerate(zip(frames, ways.unbind(0), sums.unbind(0), strict=True)):
        if t > 0:
            torch.add(state, above, out=way).addcmul_(twice, jump)
        torch.mul(way, emit, out=state)
        torch.sum(state, dim=0, out=total)
        state.div_(torch.maximum(total, least, out=total))
    return ways, sums


class _Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, log_probs, mask, target, asked):
        loss, posterior = _both_ways(log_probs.detach(), mask, target, asked, log_probs.dtype)
        ctx.save_for_backward(posterior)
        return loss.to(log_probs.dtype)

    @staticmethod
    def backward(ctx, over):
        (posterior,) = ctx.saved_tensors
        few = max(1, FEW // posterior[0].numel())
        parts = zip(over.split(few), posterior.split(few), strict=True)
        return torch.cat([-by[:, None, None] * part for by, part in parts]), None, None, None
