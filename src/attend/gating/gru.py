"""Gated recurrent unit: a memory that decides, number by number, how much of itself to keep.

Source   Cho et al. 2014, arXiv:1406.1078, eqs. 5-8; the geometry of lecture sankaran2019part5.
Departs  the reset gate acts after the product with U, as in torch.nn.GRU, so that all three parts share one product;
         one bias each instead of two; biases may be spread over time scales (Tallec & Ollivier 2018, arXiv:1804.11188).
Agrees   torch.nn.GRU, in values and gradients (tests/gating/test_sequences.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attend.core.expect import checked, expect


class Gates(NamedTuple):
    """What one step decides: `keep` z and `reset` r, each between 0 and 1, and the `candidate`; all (B, H)."""

    keep: Float[Tensor, "B H"]
    reset: Float[Tensor, "B H"]
    candidate: Float[Tensor, "B H"]


@checked
def time_scales(H: int, longest: float) -> Float[Tensor, " H"]:
    """H time scales in steps, spread evenly in their logarithm from 2 to `longest`.

    A gate of constant value 1 - 1/τ keeps a number for about τ steps; the bias that gives it is log(τ - 1).
    Raises ValueError unless H is positive and longest at least 2.
    """
    expect(H > 0, "H", H, "a positive whole number")
    fits = 2 <= longest < float("inf")
    expect(fits, "longest", longest, "a number of steps, at least 2")
    return 2 * (longest / 2) ** torch.linspace(0, 1, H)


class GRU(nn.Module):
    """The unit h_t = z ⊙ h_{t-1} + (1 - z) ⊙ h̃_t: z near 1 keeps the old summary, z near 0 takes the candidate.

    z = σ(W_z x_t + U_z h_{t-1} + b_z), r = σ(W_r x_t + U_r h_{t-1} + b_r), h̃_t = tanh(W_h x_t + r ⊙ U_h h_{t-1} + b_h).
    The weights stand on top of each other in torch's order, reset, keep, candidate: W (3H, D), U (3H, H), b (3H). At
    the start W is uniform in ±√(6 / (D + H)), each block of U is a random orthogonal matrix, and b is zero; with
    `longest` the keep gate's biases are spread, so that the units keep for 2 to `longest` steps (`time_scales`).
    `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive whole numbers and longest, if given, is at least 2.
    """

    @checked
    def __init__(self, D: int, H: int, longest: float | None = None, generator: torch.Generator | None = None):
        expect(D > 0, "D", D, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        super().__init__()
        self.D, self.H = D, H
        bound = (6 / (D + H)) ** 0.5
        self.W = nn.Parameter(torch.empty(3 * H, D).uniform_(-bound, bound, generator=generator))
        blocks = [nn.init.orthogonal_(torch.empty(H, H), generator=generator) for _ in range(3)]
        self.U = nn.Parameter(torch.cat(blocks))
        self.b = nn.Parameter(torch.zeros(3 * H))
        if longest is not None:
            self.b.data[H : 2 * H] = torch.log(time_scales(H, longest) - 1)

    @checked
    def start(self, batch: int) -> Float[Tensor, "B H"]:
        """The empty summary h_0 = 0, one row for each of `batch` sequences."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return self.U.new_zeros(batch, self.H)

    @checked
    def gates(
        self,
        x: Float[Tensor, "B D"],
        state: Float[Tensor, "B H"],
    ) -> Gates:
        """What this step decides, by name."""
        self._fits(x, state)
        x_r, x_z, x_h = (x @ self.W.T + self.b).chunk(3, dim=1)
        h_r, h_z, h_h = (state @ self.U.T).chunk(3, dim=1)
        reset = torch.sigmoid(x_r + h_r)
        keep = torch.sigmoid(x_z + h_z)
        candidate = torch.tanh(x_h + reset * h_h)
        return Gates(keep, reset, candidate)

    @checked
    def forward(
        self, x: Float[Tensor, "B D"], state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]:
        """One step. What the unit says is its new summary, so output and state are the same (B, H)."""
        keep, _, candidate = self.gates(x, state)
        h = keep * state + (1 - keep) * candidate
        return h, h

    @checked
    def sequence(
        self,
        x: Float[Tensor, "B T D"],
        state: Float[Tensor, "B H"] | None = None,
        mask: Bool[Tensor, "B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """All T steps: the summaries (B, T, H) and the last one (B, H). Without `state` it begins at h_0 = 0.

        Where `mask` is False the summary is handed on unchanged, so what stands there changes nothing, in value or
        in gradient. The result is that of `forward` step by step; its gradient is written by hand (`_Sweep`) and can
        be differentiated no further. Raises ValueError for an empty sequence, for numbers that are not finite, and for
        a row that is visible nowhere.
        """
        if mask is not None:
            expect(bool(mask.any(dim=1).all()), "mask", mask, "at least one visible step in every row")
        h = self.start(len(x)) if state is None else state
        self._fits(x, h)
        share = x.transpose(0, 1) @ self.W.T + self.b
        summaries = _Sweep.apply(share, h, self.U, mask).transpose(0, 1)
        return summaries, summaries[:, -1]

    def _fits(self, x: Tensor, state: Tensor) -> None:
        """Refuse an input or a summary that is not of this unit's width."""
        expect(x.shape[-1] == self.D, "x", x, f"vectors of this unit's input width D = {self.D}")
        expect(state.shape[-1] == self.H, "state", state, f"vectors of this unit's hidden width H = {self.H}")


class _Sweep(torch.autograd.Function):
    """The summaries of all steps, time first (T, B, H), from the input's share of all steps (T, B, 3H).

    Only what waits for the last summary stays in the two loops. How far each gate's sum moves the summary is known for
    all steps before the way back begins, and the gradient of U is one product over all of them.
    """

    @staticmethod
    def forward(ctx, share: Tensor, h: Tensor, U: Tensor, mask: Tensor | None) -> Tensor:
        T, B, H = len(share), *h.shape
        summaries = torch.cat((h[None], share.new_empty(T, B, H)))
        recalled, gates, candidates = (share.new_empty(T, B, width * H) for width in (3, 2, 1))
        unseen = None if mask is None else ~mask.T[..., None]
        for t in range(T):
            torch.mm(summaries[t], U.T, out=recalled[t])
            reset, keep = torch.add(share[t, :, : 2 * H], recalled[t, :, : 2 * H], out=gates[t]).sigmoid_().chunk(2, 1)
            if unseen is not None:
                keep.masked_fill_(unseen[t], 1)  # a shut gate hands the summary on
            candidate = torch.addcmul(share[t, :, 2 * H :], reset, recalled[t, :, 2 * H :], out=candidates[t])
            torch.lerp(_tanh(candidate), summaries[t], keep, out=summaries[t + 1])
        ctx.save_for_backward(summaries, gates, candidates, recalled[..., 2 * H :], U)
        return summaries[1:]

    @staticmethod
    @once_differentiable
    def backward(ctx, d_summaries: Tensor) -> tuple[Tensor | None, ...]:
        summaries, gates, candidates, recalled, U = ctx.saved_tensors
        T, B, H = candidates.shape
        reset, keep = gates.chunk(2, dim=2)
        to_candidate = (1 - keep) * (1 - candidates**2)
        through = to_candidate * reset  # ∂h_t by the parts of U h_{t-1}: reset, keep, candidate
        to_keep = (summaries[:-1] - candidates) * keep * (1 - keep)
        slopes = torch.stack((through * recalled * (1 - reset), to_keep, through), dim=2)
        d_h, carried = d_summaries.new_empty(T, B, H), d_summaries.new_zeros(B, H)
        for t in reversed(range(T)):
            torch.add(d_summaries[t], carried, out=d_h[t])
            slopes[t] *= d_h[t, :, None]
            carried = torch.addmm(d_h[t] * keep[t], slopes[t].view(B, 3 * H), U)
        d_sums = slopes.view(T * B, 3 * H)
        d_U = d_sums.T @ summaries[:-1].reshape(T * B, H)
        d_share = torch.cat((slopes[:, :, :2].flatten(2), d_h * to_candidate), dim=2)
        return d_share, carried, d_U, None


def _tanh(sums: Tensor) -> Tensor:
    """tanh, in place, as 2σ(2a) - 1: on a processor torch's σ takes a seventh of the time of its tanh."""
    return sums.mul_(2).sigmoid_().mul_(2).sub_(1)
