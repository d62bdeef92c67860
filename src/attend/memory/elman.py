"""Simple recurrent unit: a summary made of the last summary and the new input.

Source   Elman 1990, Finding structure in time; the unit of lecture sankaran2019part5.
Departs  tanh where Elman had the logistic function, and one bias instead of two.
Agrees   torch.nn.RNN, in values and gradients (tests/memory/test_elman.py).
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from attend.core.expect import checked, expect


class Elman(nn.Module):
    """The unit h_t = tanh(W x_t + U h_{t-1} + b).

    Weights: W (H, D) from the input, U (H, H) from the last summary, b (H). At the start W is uniform in ±√(6 / (D
    + H)) (Glorot & Bengio 2010), which keeps the input's scale; U is a random orthogonal matrix times `radius`, so
    that at radius 1 a linear unit would neither shrink nor stretch what it remembers (Saxe et al. 2014); b is zero.
    `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive whole numbers and radius is not negative.
    """

    @checked
    def __init__(self, D: int, H: int, radius: float = 1.0, generator: torch.Generator | None = None):
        expect(D > 0, "D", D, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        expect(0 <= radius < float("inf"), "radius", radius, "a finite number that is not negative")
        super().__init__()
        self.D, self.H = D, H
        self.W = nn.Parameter(torch.empty(H, D))
        self.U = nn.Parameter(torch.empty(H, H))
        self.b = nn.Parameter(torch.zeros(H))
        bound = (6 / (D + H)) ** 0.5
        nn.init.uniform_(self.W, -bound, bound, generator=generator)
        nn.init.orthogonal_(self.U, gain=radius, generator=generator)

    @checked
    def start(self, batch: int) -> Float[Tensor, "B H"]:
        """The empty summary h_0 = 0, one row for each of `batch` sequences."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return self.U.new_zeros(batch, self.H)

    @checked
    def forward(
        self, x: Float[Tensor, "B D"], state: Float[Tensor, "B H"]
    ) -> tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]:
        """One step. What the unit says is its new summary, so output and state are the same (B, H)."""
        self._fits(x, state)
        h = torch.tanh(x @ self.W.T + state @ self.U.T + self.b)
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
        in gradient. The input's share W x_t + b waits for no summary and is computed for all steps at once.
        Raises ValueError for an empty sequence, for numbers that are not finite, and for a row that is visible nowhere.
        """
        if mask is not None:
            expect(bool(mask.any(dim=1).all()), "mask", mask, "at least one visible step in every row")
        h = self.start(len(x)) if state is None else state
        self._fits(x, h)
        share = x @ self.W.T + self.b
        summaries = []
        for t, share_t in enumerate(share.unbind(1)):
            new = torch.tanh(torch.addmm(share_t, h, self.U.T))
            h = new if mask is None else torch.where(mask[:, t, None], new, h)
            summaries.append(h)
        return torch.stack(summaries, dim=1), h

    def _fits(self, x: Tensor, state: Tensor) -> None:
        """Refuse an input or a summary that is not of this unit's width."""
        expect(x.shape[-1] == self.D, "x", x, f"vectors of this unit's input width D = {self.D}")
        expect(state.shape[-1] == self.H, "state", state, f"vectors of this unit's hidden width H = {self.H}")
