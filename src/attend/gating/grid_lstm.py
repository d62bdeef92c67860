"""Two-dimensional LSTM: at each pixel a memory that meets what lies above it and what lies to its left.

Source   Graves, Fernández & Schmidhuber 2007, Multi-dimensional recurrent neural networks, arXiv:0705.2011.
Departs  no peepholes; all pixels of an anti-diagonal are computed in one step, for all four corners together.
Agrees   a loop over single pixels, and on an image of one row our LSTM, in values and gradients
         (tests/gating/test_grid_lstm.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import pad

from attend.core.expect import checked, expect
from attend.core.types import Finite, Plural, Positive, Rule

State = tuple[Tensor, Tensor]
CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""Where a sweep may begin. From "top left" a pixel knows all pixels above it and to its left."""


def _corners(corners: tuple[str, ...]) -> bool:
    return len(corners) > 0 and set(corners) <= set(CORNERS) and len(set(corners)) == len(corners)


Corners = Annotated[tuple[str, ...], Rule(f"different ones of {', '.join(CORNERS)}", _corners)]


class GridLSTM(nn.Module):
    """One two-dimensional LSTM layer, swept over an image from each of `corners` (K of them), with weights of its own.

        i, f_above, f_left, o = σ(W x + U_above h_above + U_left h_left + b)
        g = tanh of its own such sum                                 candidate
        c = f_above ⊙ c_above + f_left ⊙ c_left + i ⊙ g              cell state
        h = o ⊙ tanh(c)                                              hidden state

    The parts are stacked in the order i, f_above, f_left, g, o: W is `from_input` (K, 5H, D), the two U are
    `from_above` and `from_left` (K, 5H, H), b is `bias` (K, 5H). W starts uniform in ±√(6 / (D + H)), each block of U
    as half of a random orthogonal matrix, b at zero except the forget gates' biases, which are `forget_bias`: two cells
    are added at each pixel, so that with open gates the cell would double at each step. `generator` makes the draw
    repeatable. Raises ValueError for sizes that are not positive and for corners that are not different ones of
    CORNERS.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        corners: Corners = CORNERS,
        forget_bias: Finite = 0.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.corners, self.forget_bias = corners, forget_bias
        K, D, H = len(corners), input_size, hidden_size
        self.from_input = nn.Parameter(torch.empty(K, 5 * H, D))
        self.from_above = nn.Parameter(torch.empty(K, 5 * H, H))
        self.from_left = nn.Parameter(torch.empty(K, 5 * H, H))
        self.bias = nn.Parameter(torch.empty(K, 5 * H))
        self.reset_parameters(generator)

    @torch.no_grad()
    def reset_parameters(self, generator: torch.Generator | None = None) -> None:
        """Draw the weights anew."""
        H, bound = self.hidden_size, (6 / (self.input_size + self.hidden_size)) ** 0.5
        nn.init.uniform_(self.from_input, -bound, bound, generator=generator)
        for neighbour in (self.from_above, self.from_left):
            for block in neighbour.view(-1, H, H):
                nn.init.orthogonal_(block, generator=generator)
            neighbour /= 2
        nn.init.zeros_(self.bias)
        self.bias[:, H : 3 * H] = self.forget_bias

    def step(self, x: Tensor, above: State, left: State) -> State:
        """The states h and c of N pixels, from W x + b (K, N, 5H) and the states of both neighbours, (K, N, H) each."""
        (h_above, c_above), (h_left, c_left) = above, left
        total = x + h_above @ self.from_above.mT + h_left @ self.from_left.mT  # (K, N, 5H)
        i, f_above, f_left, g, o = total.chunk(5, dim=2)
        i, f_above, f_left, o = (torch.sigmoid(gate) for gate in (i, f_above, f_left, o))
        c = f_above * c_above + f_left * c_left + i * torch.tanh(g)
        return o * torch.tanh(c), c

    @checked
    def forward(self, x: Float[Tensor, "B Y X {self.input_size}"]) -> Float[Tensor, "B Y X C"]:
        """The hidden states of all pixels, those of the K sweeps beside each other: C = K·H.

        Pixels whose row and column add up to the same number do not hear each other. So they are one step, and an image
        of Y rows and X columns takes Y + X - 1 steps.
        """
        (B, Y, X, _), K, H = x.shape, len(self.corners), self.hidden_size
        order, diagonal = diagonals(Y, X)
        turned = torch.stack([_turn(x, corner) for corner in self.corners])  # (K, B, Y, X, D)
        pixels = turned.flatten(2, 3)[:, :, order].transpose(1, 2)  # (K, Y·X, B, D): those of one step lie together
        inputs = torch.baddbmm(self.bias.unsqueeze(1), pixels.flatten(1, 2), self.from_input.mT).unflatten(
            1, (Y * X, B)
        )
        h = c = x.new_zeros(K, 1, B, H)
        outputs, before = [], range(-1, 0)
        for rows, x_t in zip(diagonal, inputs.split([len(rows) for rows in diagonal], dim=1), strict=True):
            above, left = zip(_neighbours(h, before, rows), _neighbours(c, before, rows), strict=True)
            h, c = self.step(x_t.flatten(1, 2), above, left)
            h, c, before = h.unflatten(1, (len(rows), B)), c.unflatten(1, (len(rows), B)), rows
            outputs.append(h)
        hidden = torch.cat(outputs, dim=1)[:, order.argsort()].transpose(1, 2).unflatten(2, (Y, X))
        return torch.cat([_turn(sweep, corner) for sweep, corner in zip(hidden, self.corners, strict=True)], dim=-1)


class PixelTagger(nn.Module):
    """A label for each pixel: blocks of `block` x `block` pixels are read by an encoder, and each block is answered.

    `encoder` maps blocks (B, Y, X, block²) to `features` numbers each (B, Y, X, features), as a GridLSTM does.
    """

    @checked
    def __init__(
        self, encoder: nn.Module, features: Positive, classes: Plural, hidden_size: Positive = 32, block: Positive = 2
    ):
        super().__init__()
        self.block, self.classes = block, classes
        self.encoder = encoder
        self.combine = nn.Linear(features, hidden_size)
        self.readout = nn.Linear(hidden_size, classes * block**2)

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B Y X C"]:
        """Class logits of each pixel. Raises ValueError unless whole blocks fill the image."""
        size, (Y, X) = self.block, images.shape[1:]
        expect(Y % size == X % size == 0, "images", images, f"sides that are multiples of {size} pixels")
        blocks = images.unflatten(1, (Y // size, size)).unflatten(3, (X // size, size))  # B rows size columns size
        hidden = self.encoder(blocks.transpose(2, 3).flatten(3))
        logits = self.readout(torch.tanh(self.combine(hidden)))
        apart = logits.unflatten(3, (size, size, self.classes))  # B rows columns size size C
        return apart.transpose(2, 3).flatten(3, 4).flatten(1, 2)


@checked
def diagonals(Y: Positive, X: Positive) -> tuple[Tensor, list[range]]:
    """The pixels of an image, ordered by anti-diagonals, and for each diagonal the rows that it crosses.

    Pixel (r, c) has number r·X + c. Raises ValueError unless Y and X are positive.
    """
    order, spans = [], []
    for step in range(Y + X - 1):
        rows = range(max(0, step - X + 1), min(Y, step + 1))
        order += [row * X + (step - row) for row in rows]
        spans.append(rows)
    return torch.tensor(order), spans


def _neighbours(state: Tensor, before: range, rows: range) -> tuple[Tensor, Tensor]:
    """What lies above, and what lies left of, the pixels of a diagonal; zeros outside of the image.

    `state` (K, rows before, B, H) belongs to the diagonal before, on which the left neighbour has the same row and
    the neighbour above one row less; both results are (K, rows · B, H).
    """
    padded = pad(state, (0, 0, 0, 0, 1, 1))
    first = rows.start - before.start + 1
    above, left = padded[:, first - 1 : first - 1 + len(rows)], padded[:, first : first + len(rows)]
    return above.flatten(1, 2), left.flatten(1, 2)


def _turn(x: Tensor, corner: str) -> Tensor:
    """An image (B, Y, X, ·) turned so that `corner` comes to lie top left; a second turn brings it back."""
    axes = [axis for axis, side in ((1, "bottom"), (2, "right")) if side in corner]
    return x.flip(axes) if axes else x
