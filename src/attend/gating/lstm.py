"""Long short-term memory: a cell that is written, kept and read through three gates.

Source   Hochreiter & Schmidhuber 1997, Long short-term memory; the forget gate of Gers, Schmidhuber & Cummins 2000;
         lectures erdem2021attention and hu2019lecture16.
Departs  no peepholes; one bias a gate; biases may be spread over time scales (Tallec & Ollivier 2018,
         arXiv:1804.11188).
Agrees   torch.nn.LSTM, in values and gradients (tests/gating/test_sequences.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from attend.core.expect import checked, expect
from attend.gating.gru import _tanh, time_scales


class LSTMState(NamedTuple):
    """What goes from step to step: the summary `h` that is shown, and the `cell` c that is kept; both (B, H)."""

    h: Float[Tensor, "B H"]
    cell: Float[Tensor, "B H"]


class LSTMGates(NamedTuple):
    """What one step decides: three gates between 0 and 1, and the `update`, between -1 and 1; all (B, H)."""

    input: Float[Tensor, "B H"]
    forget: Float[Tensor, "B H"]
    update: Float[Tensor, "B H"]
    output: Float[Tensor, "B H"]


class LSTM(nn.Module):
    """The unit c_t = f ⊙ c_{t-1} + i ⊙ g, h_t = o ⊙ tanh(c_t).

    i, f and o are σ(W x_t + U h_{t-1} + b), the update g is tanh of its own such sum. The weights stand on top of each
    other in torch's order, input, forget, update, output: W (4H, D), U (4H, H), b (4H). At the start W is uniform in
    ±√(6 / (D + H)), each block of U is a random orthogonal matrix, and b is zero, except the forget gate's, which is
    `forget_bias`. With `longest` the forget biases are spread instead, so that the cells keep for 2 to `longest` steps,
    and the input biases are their negatives, so that what is kept long is written slowly.
    `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive whole numbers and longest, if given, is at least 2.
    """

    @checked
    def __init__(
        self,
        D: int,
        H: int,
        forget_bias: float = 0.0,
        longest: float | None = None,
        generator: torch.Generator | None = None,
    ):
        expect(D > 0, "D", D, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        expect(abs(forget_bias) < float("inf"), "forget_bias", forget_bias, "a finite number")
        super().__init__()
        self.D, self.H = D, H
        bound = (6 / (D + H)) ** 0.5
        self.W = nn.Parameter(torch.empty(4 * H, D).uniform_(-bound, bound, generator=generator))
        blocks = [nn.init.orthogonal_(torch.empty(H, H), generator=generator) for _ in range(4)]
        self.U = nn.Parameter(torch.cat(blocks))
        self.b = nn.Parameter(torch.zeros(4 * H))
        self.b.data[H : 2 * H] = forget_bias
        if longest is not None:
            spread = torch.log(time_scales(H, longest) - 1)
            self.b.data[: 2 * H] = torch.cat((-spread, spread))

    @checked
    def start(self, batch: int) -> LSTMState:
        """The empty state, h_0 = c_0 = 0, one row for each of `batch` sequences."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return LSTMState(self.U.new_zeros(batch, self.H), self.U.new_zeros(batch, self.H))

    @checked
    def gates(
        self,
        x: Float[Tensor, "B D"],
        h: Float[Tensor, "B H"],
    ) -> LSTMGates:
        """What this step decides, by name. Only the shown summary h is asked, never the cell."""
        self._fits(x, h)
        i, f, g, o = (x @ self.W.T + h @ self.U.T + self.b).chunk(4, dim=1)
        i, f, o = torch.sigmoid(i), torch.sigmoid(f), torch.sigmoid(o)
        return LSTMGates(i, f, torch.tanh(g), o)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B D"],
        state: LSTMState,
    ) -> tuple[Float[Tensor, "B H"], LSTMState]:
        """One step: what is shown (B, H), and the state."""
        i, f, g, o = self.gates(x, state.h)
        cell = f * state.cell + i * g
        h = o * torch.tanh(cell)
        return h, LSTMState(h, cell)

    @checked
    def sequence(
        self,
        x: Float[Tensor, "B T D"],
        state: LSTMState | None = None,
        mask: Bool[Tensor, "B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], LSTMState]:
        """All T steps: the summaries (B, T, H) and the last state. Without `state` it begins at h_0 = c_0 = 0.

        Where `mask` is False the state is handed on unchanged, so what stands there changes nothing, in value or
        in gradient. The result is that of `forward` step by step; its gradient is written by hand (`_Sweep`) and can
        be differentiated no further. Raises ValueError for an empty sequence, for numbers that are not finite, and for
        a row that is visible nowhere.
        """
        if mask is not None:
            expect(bool(mask.any(dim=1).all()), "mask", mask, "at least one visible step in every row")
        state = self.start(len(x)) if state is None else state
        self._fits(x, state.h)
        expect(state.cell.shape == state.h.shape, "state", state.cell, "a cell of the summary's shape (B, H)")
        share = x.transpose(0, 1) @ self.W.T + self.b
        summaries, cell = _Sweep.apply(share, *state, self.U, mask)
        return summaries.transpose(0, 1), LSTMState(summaries[-1], cell)

    def _fits(self, x: Tensor, h: Tensor) -> None:
        """Refuse an input or a summary that is not of this unit's width."""
        expect(x.shape[-1] == self.D, "x", x, f"vectors of this unit's input width D = {self.D}")
        expect(h.shape[-1] == self.H, "h", h, f"vectors of this unit's hidden width H = {self.H}")


class _Sweep(torch.autograd.Function):
    """The summaries of all steps, time first (T, B, H), and the last cell, from the input's share (T, B, 4H).

    Only what waits for the last state stays in the two loops. How far each gate's sum moves the cell is known for all
    steps before the way back begins, and the gradient of U is one product over all of them.
    """

    @staticmethod
    def forward(ctx, share: Tensor, h: Tensor, cell: Tensor, U: Tensor, mask: Tensor | None):
        T, B, H = len(share), *h.shape
        summaries, cells = (torch.cat((first[None], share.new_empty(T, B, H))) for first in (h, cell))
        gates, shown = share.new_empty(T, B, 4 * H), share.new_empty(T, B, H)
        for t in range(T):
            sums = torch.addmm(share[t], summaries[t], U.T, out=gates[t])
            i, f, g, o = sums.chunk(4, dim=1)
            g.mul_(2)
            sums.sigmoid_()
            g.mul_(2).sub_(1)  # tanh a = 2σ(2a) - 1
            torch.mul(f, cells[t], out=cells[t + 1]).addcmul_(i, g)
            torch.mul(o, _tanh(shown[t].copy_(cells[t + 1])), out=summaries[t + 1])
            if mask is not None:
                unseen = ~mask[:, t, None]
                for both in (summaries, cells):
                    both[t + 1] = torch.where(unseen, both[t], both[t + 1])
        ctx.save_for_backward(summaries, cells, gates, shown, U, mask)
        return summaries[1:], cells[-1].clone()

    @staticmethod
    @once_differentiable
    def backward(ctx, d_summaries: Tensor, d_cell: Tensor):
        summaries, cells, gates, shown, U, mask = ctx.saved_tensors
        T, B, H = shown.shape
        i, f, g, o = gates.chunk(4, dim=2)
        seen = 1 if mask is None else mask.T[..., None].to(shown.dtype)
        slopes = torch.stack((i * (1 - i) * g, f * (1 - f) * cells[:-1], i * (1 - g**2), o * (1 - o) * shown), dim=2)
        if mask is not None:
            slopes *= seen[..., None]
        kept, read = f * seen + (1 - seen), o * (1 - shown**2) * seen
        d_cell, carried = d_cell.clone(), d_summaries.new_zeros(B, H)
        for t in reversed(range(T)):
            d_h = d_summaries[t] + carried
            d_cell.addcmul_(d_h, read[t])
            slopes[t, :, :3] *= d_cell[:, None]
            slopes[t, :, 3] *= d_h
            d_cell *= kept[t]
            carried = slopes[t].view(B, 4 * H) @ U
            if mask is not None:
                carried.addcmul_(d_h, 1 - seen[t])
        d_sums = slopes.view(T, B, 4 * H)
        d_U = d_sums.flatten(0, 1).T @ summaries[:-1].reshape(T * B, H)
        return d_sums, carried, d_cell, d_U, None
