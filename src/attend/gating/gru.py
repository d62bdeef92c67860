"""Gated recurrent unit: two gates decide, number by number, what to keep of the hidden state.

Source   Cho et al. 2014, arXiv:1406.1078, eqs. 5-8; the geometry of lecture sankaran2019part5; chrono initialisation
         of Tallec & Ollivier 2018, arXiv:1804.11188.
Departs  the reset gate acts after the product with U, as in torch.nn.GRU, so that all three parts share one product;
         one bias each instead of two.
Agrees   torch.nn.GRU, in values and gradients (tests/gating/test_sequences.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import AtLeast2, Mask, Positive


class Gates(NamedTuple):
    """`reset` and `update` gate, each between 0 and 1, and the `candidate`, between -1 and 1; all (B, H)."""

    reset: Float[Tensor, "B H"]
    update: Float[Tensor, "B H"]
    candidate: Float[Tensor, "B H"]


class GRU(nn.Module):
    """One GRU layer. The parts are stacked in PyTorch's order: reset, update, candidate.

        r = σ(W_r x_t + U_r h_{t-1} + b_r)              reset gate
        z = σ(W_z x_t + U_z h_{t-1} + b_z)              update gate
        n = tanh(W_n x_t + r ⊙ (U_n h_{t-1}) + b_n)     candidate
        h_t = z ⊙ h_{t-1} + (1 - z) ⊙ n

    Input (B, T, input_size); output (B, T, hidden_size) and the last hidden state (B, hidden_size). W starts uniform in
    ±√(6 / (input_size + hidden_size)), each block of U as a random orthogonal matrix, b at zero. `generator` makes the
    draw repeatable. Raises ValueError for sizes that are not positive.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.from_input = nn.Linear(input_size, 3 * hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, 3 * hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        bound = (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        for block in self.from_hidden.weight.chunk(3):
            nn.init.orthogonal_(block, generator=generator)
        nn.init.zeros_(self.from_input.bias)

    def gates(self, x: Tensor, h: Tensor) -> Gates:
        """What one step decides, by name, from x (B, input_size) and h (B, hidden_size)."""
        x_r, x_z, x_n = self.from_input(x).chunk(3, dim=-1)  # each (B, H)
        h_r, h_z, h_n = self.from_hidden(h).chunk(3, dim=-1)
        reset, update = torch.sigmoid(x_r + h_r), torch.sigmoid(x_z + h_z)
        return Gates(reset, update, candidate=torch.tanh(x_n + reset * h_n))

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, input_size) and h (B, hidden_size) give the new h."""
        _, update, candidate = self.gates(x, h)
        return update * h + (1 - update) * candidate  # keep some, replace the rest

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: Float[Tensor, "B {self.hidden_size}"] | None = None,
        mask: Mask["B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """All time steps; without `state` the hidden state starts at zero.

        Where `mask` is False the state is handed on unchanged, so that padding changes nothing, in value or gradient.
        """
        h = x.new_zeros(len(x), self.hidden_size) if state is None else state
        outputs = []
        for t, x_t in enumerate(x.unbind(dim=1)):  # x_t: (B, input_size)
            new = self.step(x_t, h)
            h = new if mask is None else torch.where(mask[:, t, None], new, h)
            outputs.append(h)
        return torch.stack(outputs, dim=1), h  # (B, T, H), (B, H)


@checked
def time_scales(count: Positive, longest: AtLeast2) -> Float[Tensor, " count"]:
    """`count` time scales in steps, spaced evenly in their logarithm from 2 to `longest`.

    A gate of constant value 1 - 1/τ keeps a number for about τ steps; the bias that gives it is log(τ - 1).
    Raises ValueError unless `count` is positive and `longest` at least 2.
    """
    return 2 * (longest / 2) ** torch.linspace(0, 1, count)


@checked
@torch.no_grad()
def chrono_(gru: GRU, longest: AtLeast2) -> GRU:
    """Chrono initialisation, in place: the update gates begin with time scales from 2 to `longest` steps.

    Returns the layer. Raises ValueError for `longest` below 2.
    """
    H = gru.hidden_size
    gru.from_input.bias[H : 2 * H] = torch.log(time_scales(H, longest) - 1)
    return gru
