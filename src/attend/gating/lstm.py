"""Long short-term memory: a cell that is written, kept and read through three gates.

Source   Hochreiter & Schmidhuber 1997, Long short-term memory; the forget gate of Gers, Schmidhuber & Cummins 2000;
         lectures erdem2021attention and hu2019lecture16; chrono initialisation of Tallec & Ollivier 2018,
         arXiv:1804.11188.
Departs  no peepholes; one bias vector where torch.nn.LSTM has two that are added.
Agrees   torch.nn.LSTM, in values and gradients (tests/gating/test_sequences.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import AtLeast2, Finite, Mask, Positive, PositiveFloat, Tokens


class Gates(NamedTuple):
    """`input`, `forget` and `output` gate, each between 0 and 1, and the `candidate`, between -1 and 1; all (B, H)."""

    input: Float[Tensor, "B H"]
    forget: Float[Tensor, "B H"]
    candidate: Float[Tensor, "B H"]
    output: Float[Tensor, "B H"]


class LSTM(nn.Module):
    """One LSTM layer. The parts are stacked in PyTorch's order: input, forget, candidate, output.

        i, f, o = σ(W x_t + U h_{t-1} + b)       input, forget and output gate, each with blocks W, U and b of its own
        g = tanh(W x_t + U h_{t-1} + b)          candidate, likewise
        c_t = f ⊙ c_{t-1} + i ⊙ g                cell state
        h_t = o ⊙ tanh(c_t)                      hidden state

    Input (B, T, input_size); output (B, T, hidden_size) and the last state (h, c), each (B, hidden_size). W starts
    uniform in ±√(6 / (input_size + hidden_size)), each block of U as a random orthogonal matrix, b at zero except the
    forget gate's, which is `forget_bias`. `generator` makes the draw repeatable. Raises ValueError for sizes that are
    not positive and for a bias that is not finite.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        forget_bias: Finite = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size, self.forget_bias = input_size, hidden_size, forget_bias
        self.from_input = nn.Linear(input_size, 4 * hidden_size)  # W and b
        self.from_hidden = nn.Linear(hidden_size, 4 * hidden_size, bias=False)  # U
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        H, bound = self.hidden_size, (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input.weight, -bound, bound, generator=generator)
        for block in self.from_hidden.weight.chunk(4):
            nn.init.orthogonal_(block, generator=generator)
        nn.init.zeros_(self.from_input.bias)
        self.from_input.bias[H : 2 * H] = self.forget_bias

    def gates(self, x: Tensor, state: tuple[Tensor, Tensor]) -> Gates:
        """What one step decides, by name, from x (B, input_size) and h; the cell itself is not asked."""
        h, _ = state
        i, f, g, o = (self.from_input(x) + self.from_hidden(h)).chunk(4, dim=-1)  # each (B, H)
        return Gates(torch.sigmoid(i), torch.sigmoid(f), torch.tanh(g), torch.sigmoid(o))

    def step(self, x: Tensor, state: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
        """One time step: x (B, input_size) and the state (h, c) give the new state."""
        i, f, g, o = self.gates(x, state)
        _, c = state
        c = f * c + i * g  # keep some, add some
        h = o * torch.tanh(c)  # show some
        return h, c

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: tuple[Float[Tensor, "B {self.hidden_size}"], Float[Tensor, "B {self.hidden_size}"]] | None = None,
        mask: Mask["B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]]:
        """All time steps; without `state`, h and c start at zero.

        Where `mask` is False the state is handed on unchanged, so that padding changes nothing, in value or gradient.
        """
        if state is None:
            state = (x.new_zeros(len(x), self.hidden_size),) * 2
        h, c = state
        outputs = []
        for t, x_t in enumerate(x.unbind(dim=1)):  # x_t: (B, input_size)
            new_h, new_c = self.step(x_t, (h, c))
            if mask is None:
                h, c = new_h, new_c
            else:
                real = mask[:, t, None]
                h, c = torch.where(real, new_h, h), torch.where(real, new_c, c)
            outputs.append(h)
        return torch.stack(outputs, dim=1), (h, c)  # (B, T, H), state


@checked
@torch.no_grad()
def chrono_(lstm: LSTM, longest: AtLeast2) -> LSTM:
    """Chrono initialisation, in place: each cell draws a time scale, uniformly between 2 and `longest` steps.

    The input gates' biases are the negatives of the forget gates', so that what is kept long is written slowly.
    Returns the layer. Raises ValueError for `longest` below 2.
    """
    H = lstm.hidden_size
    tau = torch.empty(H).uniform_(2, longest)  # time scales, in steps
    bias = torch.log(tau - 1)
    lstm.from_input.bias[:H] = -bias  # input gates
    lstm.from_input.bias[H : 2 * H] = bias  # forget gates
    return lstm


class LanguageModel(nn.Module):
    """Predicts the next token at every step: one-hot tokens, a recurrent layer, and a linear head for the logits.

    `layer` is an `LSTM`, or another layer with an `input_size`, here the size of the vocabulary, and a `hidden_size`.
    """

    @checked
    def __init__(self, layer: nn.Module):
        super().__init__()
        self.vocab_size = layer.input_size
        self.layer = layer
        self.head = nn.Linear(layer.hidden_size, layer.input_size)

    @checked
    def forward(
        self, tokens: Tokens["B T", "self.vocab_size"], state: tuple[Tensor, Tensor] | Tensor | None = None
    ) -> tuple[Float[Tensor, "B T {self.vocab_size}"], tuple[Tensor, Tensor] | Tensor]:
        """Logits of the token that follows each step, and the state to read on from."""
        x = F.one_hot(tokens, self.vocab_size).to(self.head.weight.dtype)  # (B, T, V)
        outputs, state = self.layer(x, state)  # (B, T, H)
        return self.head(outputs), state  # (B, T, V)

    @checked
    @torch.no_grad()
    def generate(
        self,
        tokens: Tokens["B T", "self.vocab_size"],
        steps: Positive,
        temperature: PositiveFloat = 1.0,
        generator: torch.Generator | None = None,
    ) -> Int[Tensor, "B U"]:
        """`tokens`, continued by `steps` more, each drawn from the prediction and read in turn."""
        logits, state = self(tokens)
        for _ in range(steps):
            probs = (logits[:, -1] / temperature).softmax(dim=-1)
            new = torch.multinomial(probs, 1, generator=generator)  # (B, 1)
            tokens = torch.cat([tokens, new], dim=1)
            logits, state = self(new, state)
        return tokens
