"""A recurrent network with a delay line: the hidden state also hears the hidden state of d steps ago.

Source   El Hihi & Bengio 1995, Hierarchical recurrent neural networks for long-term dependencies; Lin, Horne, Tiňo &
         Giles 1996, Learning long-term dependencies in NARX recurrent neural networks.
Departs  one delay, of the hidden state and not of the output, beside the usual one of a single step.
Agrees   torch.nn.RNN with recurrent weights U + V at d = 1, and d vanilla networks that take turns where U = 0
         (tests/memory/test_delays.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import NonNegativeFloat, Positive


class Delayed(nn.Module):
    """One recurrent layer with delay d, h_t = tanh(W x_t + U h_{t-1} + V h_{t-d} + b).

    Input (B, T, input_size); output (B, T, hidden_size) and the last d hidden states (B, d, hidden_size), oldest first.
    W starts uniform in ±√(6 / (input_size + hidden_size)), b at zero, U and V as random orthogonal matrices times
    `radius` / 2, so that together they pass on at most `radius` of a steady signal. `generator` makes the draw
    repeatable. Raises ValueError for sizes or a delay that are not positive, and for a negative radius.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        delay: Positive,
        radius: NonNegativeFloat = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.delay, self.radius = input_size, hidden_size, delay, radius
        self.from_input = nn.Linear(input_size, hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, hidden_size, bias=False)  # U
        self.from_delayed = nn.Linear(hidden_size, hidden_size, bias=False)  # V
        self.reset_parameters(generator)

    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        bound = (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        nn.init.orthogonal_(self.from_hidden.weight, gain=self.radius / 2, generator=generator)
        nn.init.orthogonal_(self.from_delayed.weight, gain=self.radius / 2, generator=generator)
        nn.init.zeros_(self.from_input.bias)

    def step(self, x: Tensor, line: Tensor) -> Tensor:
        """One time step: x (B, input_size) and the last d hidden states (B, d, H), oldest first, give the new ones."""
        h = torch.tanh(self.from_input(x) + self.from_hidden(line[:, -1]) + self.from_delayed(line[:, 0]))
        return torch.cat([line[:, 1:], h[:, None]], dim=1)

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: Float[Tensor, "B {self.delay} {self.hidden_size}"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B d H"]]:
        """All time steps; without `state` the delay line holds zeros."""
        if state is None:
            state = x.new_zeros(len(x), self.delay, self.hidden_size)
        outputs = []
        for x_t in x.unbind(dim=1):  # x_t: (B, input_size)
            state = self.step(x_t, state)
            outputs.append(state[:, -1])
        return torch.stack(outputs, dim=1), state  # (B, T, H), (B, d, H)
