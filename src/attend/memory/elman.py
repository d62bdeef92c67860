"""Vanilla recurrent neural network (Elman network): the hidden state goes back in with the next input.

Source   Elman 1990, Finding structure in time; the unit of lecture sankaran2019part5.
Departs  tanh where Elman had the logistic function, and one bias instead of two.
Agrees   torch.nn.RNN, in values and gradients (tests/memory/test_elman.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Mask, NonNegativeFloat, Positive


class RNN(nn.Module):
    """One recurrent layer, h_t = tanh(W x_t + U h_{t-1} + b).

    Input (B, T, input_size); output (B, T, hidden_size) and the last hidden state (B, hidden_size). W starts uniform in
    ±√(6 / (input_size + hidden_size)) (Glorot & Bengio 2010), b at zero, and U as a random orthogonal matrix times
    `radius`: at 1, a linear network would neither shrink nor stretch its state (Saxe et al. 2014). `generator` makes
    the draw repeatable. Raises ValueError for sizes that are not positive and for a negative radius.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        radius: NonNegativeFloat = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.radius = input_size, hidden_size, radius
        self.from_input = nn.Linear(input_size, hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        bound = (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        nn.init.orthogonal_(self.from_hidden.weight, gain=self.radius, generator=generator)
        nn.init.zeros_(self.from_input.bias)

    def step(self, x: Tensor, h: Tensor) -> Tensor:
        """One time step: x (B, input_size) and h (B, hidden_size) give the new h."""
        return torch.tanh(self.from_input(x) + self.from_hidden(h))

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
