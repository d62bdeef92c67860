"""A recurrent unit with a delay line: the summary also sees the summary of d steps ago.

Source   El Hihi & Bengio 1995, Hierarchical recurrent neural networks for long-term dependencies; Lin, Horne, Tiňo &
         Giles 1996, Learning long-term dependencies in NARX recurrent neural networks.
Departs  one delay, of the summary and not of the output, beside the usual one of a single step.
Agrees   torch.nn.RNN with recurrent weights U + V at d = 1, and d plain units that take turns where U = 0
         (tests/memory/test_delays.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect


class Delayed(nn.Module):
    """The unit h_t = tanh(W x_t + U h_{t-1} + V h_{t-d} + b) with delay d.

    Weights: W (H, D) from the input, U (H, H) from the last summary, V (H, H) from the one of d steps ago, b (H). W
    starts uniform in ±√(6 / (D + H)), b at zero, U and V as random orthogonal matrices times `radius` / 2, so that
    together they pass on `radius` of a steady signal at most. `generator` makes the draw repeatable.

    Raises ValueError unless D, H and delay are positive whole numbers and radius is not negative.
    """

    @checked
    def __init__(self, D: int, H: int, delay: int, radius: float = 1.0, generator: torch.Generator | None = None):
        for name, size in (("D", D), ("H", H), ("delay", delay)):
            expect(size > 0, name, size, "a positive whole number")
        expect(0 <= radius < float("inf"), "radius", radius, "a finite number that is not negative")
        super().__init__()
        self.D, self.H, self.delay = D, H, delay
        self.W = nn.Parameter(torch.empty(H, D))
        self.U = nn.Parameter(torch.empty(H, H))
        self.V = nn.Parameter(torch.empty(H, H))
        self.b = nn.Parameter(torch.zeros(H))
        bound = (6 / (D + H)) ** 0.5
        nn.init.uniform_(self.W, -bound, bound, generator=generator)
        nn.init.orthogonal_(self.U, gain=radius / 2, generator=generator)
        nn.init.orthogonal_(self.V, gain=radius / 2, generator=generator)

    @checked
    def start(self, batch: int) -> Float[Tensor, "B d H"]:
        """An empty delay line: the last d summaries, oldest first, all zero, for each of `batch` sequences."""
        expect(batch > 0, "batch", batch, "a positive whole number")
        return self.U.new_zeros(batch, self.delay, self.H)

    @checked
    def forward(
        self, x: Float[Tensor, "B D"], state: Float[Tensor, "B d H"]
    ) -> tuple[Float[Tensor, "B H"], Float[Tensor, "B d H"]]:
        """One step: the new summary (B, H), and the delay line with the oldest summary dropped."""
        y, state = self.sequence(x[:, None], state)
        return y[:, 0], state

    @checked
    def sequence(
        self, x: Float[Tensor, "B T D"], state: Float[Tensor, "B d H"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B d H"]]:
        """All T steps: the summaries (B, T, H) and the last delay line. Without `state` the line is empty.

        Raises ValueError for an empty sequence, for another width or delay and for numbers that are not finite.
        """
        expect(x.shape[2] == self.D, "x", x, f"vectors of this unit's input width D = {self.D}")
        line = self.start(len(x)) if state is None else state
        wanted = f"a delay line of shape (B, d, H) = ({len(x)}, {self.delay}, {self.H})"
        expect(line.shape == (len(x), self.delay, self.H), "state", line, wanted)
        share = x @ self.W.T + self.b
        summaries = list(line.unbind(1))
        for share_t in share.unbind(1):
            from_last = torch.addmm(share_t, summaries[-1], self.U.T)
            summaries.append(torch.tanh(torch.addmm(from_last, summaries[-self.delay], self.V.T)))
        line = torch.stack(summaries[-self.delay :], dim=1)
        return torch.stack(summaries[self.delay :], dim=1), line
