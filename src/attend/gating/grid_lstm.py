"""Two-dimensional LSTM: at each pixel a memory that meets what lies above it and what lies to its left.

Source   Graves, Fernández & Schmidhuber 2007, Multi-dimensional recurrent neural networks, arXiv:0705.2011.
Departs  no peepholes; all pixels of an anti-diagonal are computed in one step, for all four corners together.
Agrees   a loop over single pixels, and on an image of one row our LSTM, in values and gradients
         (tests/gating/test_grid_lstm.py).
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import pad

from attend.core.expect import checked, expect
from attend.gating.lstm import LSTMState
from attend.memory.supervision import Readout

CORNERS = ("top left", "top right", "bottom left", "bottom right")
"""Where a sweep may begin. From "top left" a pixel knows all pixels above it and to its left."""


class GridGates(NamedTuple):
    """What one pixel decides: four gates between 0 and 1, and the `update`, between -1 and 1; all (K, N, H)."""

    input: Float[Tensor, "K N H"]
    forget_above: Float[Tensor, "K N H"]
    forget_left: Float[Tensor, "K N H"]
    update: Float[Tensor, "K N H"]
    output: Float[Tensor, "K N H"]


class GridLSTM(nn.Module):
    """The unit c = f_above ⊙ c_above + f_left ⊙ c_left + i ⊙ g, h = o ⊙ tanh(c), swept over an image.

    i, both f and o are σ(W x + U_above h_above + U_left h_left + b), the update g is tanh of its own such sum. A sweep
    begins in each of `corners` (K of them) and has weights of its own, in the order of GridGates: W (K, 5H, D), `above`
    and `left` (K, 5H, H), b (K, 5H). At the start W is uniform in ±√(6 / (D + H)), the other matrices are half of a
    random orthogonal matrix a block, b is zero, and the biases of the forget gates are `forget_bias`: two cells are
    added at each pixel, so with open gates the memory would double at each step.
    `generator` makes the draw repeatable; without it torch's own generator is used.

    Raises ValueError unless D and H are positive whole numbers and `corners` names different ones of CORNERS.
    """

    @checked
    def __init__(
        self,
        D: int,
        H: int,
        corners: tuple[str, ...] = CORNERS,
        forget_bias: float = 0.0,
        generator: torch.Generator | None = None,
    ):
        expect(D > 0, "D", D, "a positive whole number")
        expect(H > 0, "H", H, "a positive whole number")
        known = len(corners) > 0 and set(corners) <= set(CORNERS) and len(set(corners)) == len(corners)
        expect(known, "corners", corners, f"different ones of {', '.join(CORNERS)}")
        expect(abs(forget_bias) < float("inf"), "forget_bias", forget_bias, "a finite number")
        super().__init__()
        self.D, self.H, self.corners = D, H, corners
        K, bound = len(corners), (6 / (D + H)) ** 0.5
        self.W = nn.Parameter(torch.empty(K, 5 * H, D).uniform_(-bound, bound, generator=generator))
        self.above = nn.Parameter(_halved_rotations(K, H, generator))
        self.left = nn.Parameter(_halved_rotations(K, H, generator))
        self.b = nn.Parameter(torch.zeros(K, 5 * H))
        self.b.data[:, H : 3 * H] = forget_bias

    @checked
    def start(self, pixels: int) -> LSTMState:
        """What lies outside of the image: h = c = 0, for each sweep and each of `pixels` pixels, (K, pixels, H)."""
        expect(pixels > 0, "pixels", pixels, "a positive whole number")
        nothing = self.W.new_zeros(len(self.corners), pixels, self.H)
        return LSTMState(nothing, nothing)

    @checked
    def gates(
        self, x: Float[Tensor, "K N D"], above: Float[Tensor, "K N H"], left: Float[Tensor, "K N H"]
    ) -> GridGates:
        """What N pixels decide, by name, from x and the summaries h of the two neighbours."""
        expect(x.shape[0] == len(self.corners), "x", x, f"one input for each of {len(self.corners)} sweeps")
        expect(x.shape[-1] == self.D, "x", x, f"inputs of this unit's width D = {self.D}")
        expect(above.shape[-1] == self.H, "above", above, f"summaries of this unit's width H = {self.H}")
        return _gates(self._inputs(x), _both(above, left), self._both_weights())

    @checked
    def forward(
        self, x: Float[Tensor, "K N D"], above: LSTMState, left: LSTMState
    ) -> tuple[Float[Tensor, "K N H"], LSTMState]:
        """One step, for N pixels whose neighbours are known: what is shown (K, N, H), and the state."""
        state = _step(self.gates(x, above.h, left.h), above.cell, left.cell)
        return state.h, state

    @checked
    def image(self, x: Float[Tensor, "B Y X D"]) -> Float[Tensor, "B Y X C"]:
        """The summaries of all pixels, those of the K sweeps beside each other: C = K·H.

        Pixels whose row and column add up to the same number do not ask each other. So they are one step, and an image
        of Y rows and X columns takes Y + X - 1 steps.
        """
        expect(x.shape[-1] == self.D, "x", x, f"pixels of this unit's input width D = {self.D}")
        B, Y, X, _ = x.shape
        order, spans = diagonals(Y, X)
        turned = torch.stack([_turn(x, corner) for corner in self.corners])  # K B Y X D
        flat = turned.flatten(2, 3)[:, :, order].transpose(1, 2)  # K Y·X B D: neighbours in time lie together
        inputs, both = self._inputs(flat.flatten(1, 2)).unflatten(1, (Y * X, B)), self._both_weights()
        summaries, state, before = [], self.start(B), range(-1, 0)
        state = LSTMState(*(part.unsqueeze(1) for part in state))
        for rows, now in zip(spans, inputs.split([len(rows) for rows in spans], dim=1), strict=True):
            (h_above, h_left), (c_above, c_left) = (_neighbours(part, before, rows) for part in state)
            gates = _gates(now, _both(h_above, h_left), both)
            state, before = _step(gates, c_above, c_left), rows
            summaries.append(state.h)
        there = torch.cat(summaries, dim=1)[:, order.argsort()].transpose(1, 2).unflatten(2, (Y, X))
        return torch.cat([_turn(h, corner) for h, corner in zip(there, self.corners, strict=True)], dim=-1)

    def _inputs(self, x: Tensor) -> Tensor:
        return torch.baddbmm(self.b.unsqueeze(1), x, self.W.mT)

    def _both_weights(self) -> Tensor:
        return torch.cat((self.above, self.left), dim=-1).mT


class PixelTagger(nn.Module):
    """A label for each pixel: blocks of `block` x `block` pixels are read by a GridLSTM, and each block is answered."""

    @checked
    def __init__(
        self,
        H: int,
        classes: int,
        block: int = 2,
        corners: tuple[str, ...] = CORNERS,
        generator: torch.Generator | None = None,
    ):
        expect(classes > 1, "classes", classes, "at least two classes")
        expect(block > 0, "block", block, "a positive whole number of pixels")
        super().__init__()
        self.block, self.classes = block, classes
        self.unit = GridLSTM(block**2, H, corners, generator=generator)
        self.mix = Readout(len(corners) * H, 2 * H, generator)
        self.readout = Readout(2 * H, classes * block**2, generator)

    @checked
    def forward(self, images: Float[Tensor, "B Y X"]) -> Float[Tensor, "B Y X C"]:
        """Class scores of each pixel. Raises ValueError unless whole blocks fill the image."""
        size, (Y, X) = self.block, images.shape[1:]
        expect(Y % size == X % size == 0, "images", images, f"sides that are multiples of {size} pixels")
        blocks = images.unflatten(1, (Y // size, size)).unflatten(3, (X // size, size))  # B rows size columns size
        summaries = self.unit.image(blocks.transpose(2, 3).flatten(3))
        scores = self.readout(torch.tanh(self.mix(summaries)))
        apart = scores.unflatten(3, (size, size, self.classes))  # B rows columns size size C
        return apart.transpose(2, 3).flatten(3, 4).flatten(1, 2)


@checked
def diagonals(Y: int, X: int) -> tuple[Tensor, list[range]]:
    """The pixels of an image, ordered by anti-diagonals, and for each diagonal the rows that it crosses.

    Pixel (r, c) has number r·X + c. Raises ValueError unless Y and X are positive.
    """
    expect(Y > 0, "Y", Y, "a positive whole number of rows")
    expect(X > 0, "X", X, "a positive whole number of columns")
    order, spans = [], []
    for step in range(Y + X - 1):
        rows = range(max(0, step - X + 1), min(Y, step + 1))
        order += [row * X + (step - row) for row in rows]
        spans.append(rows)
    return torch.tensor(order), spans


def _neighbours(state: Tensor, before: range, rows: range) -> tuple[Tensor, Tensor]:
    """What lies above, and what lies left of, the pixels of a diagonal; zeros outside of the image.

    `state` (K, rows before, B, H) belongs to the diagonal before, on which the left neighbour has the same row and
    the neighbour above one row less.
    """
    padded = pad(state, (0, 0, 0, 0, 1, 1))
    first = rows.start - before.start + 1
    return padded[:, first - 1 : first - 1 + len(rows)], padded[:, first : first + len(rows)]


def _both(above: Tensor, left: Tensor) -> Tensor:
    return torch.cat((above, left), dim=-1)


def _gates(inputs: Tensor, neighbours: Tensor, weights: Tensor) -> GridGates:
    """`inputs` (K, …, 5H) holds W x + b; `neighbours` (K, …, 2H) both summaries; `weights` (K, 2H, 5H)."""
    total = torch.baddbmm(inputs.flatten(1, -2), neighbours.flatten(1, -2), weights).view_as(inputs)
    H = total.shape[-1] // 5
    i, f_above, f_left = torch.sigmoid(total[..., : 3 * H]).chunk(3, dim=-1)
    return GridGates(i, f_above, f_left, torch.tanh(total[..., 3 * H : 4 * H]), torch.sigmoid(total[..., 4 * H :]))


def _step(gates: GridGates, above: Tensor, left: Tensor) -> LSTMState:
    cell = gates.forget_above * above + gates.forget_left * left + gates.input * gates.update
    return LSTMState(gates.output * torch.tanh(cell), cell)


def _turn(x: Tensor, corner: str) -> Tensor:
    """An image (B, Y, X, ·) turned so that `corner` comes to lie top left; a second turn brings it back."""
    axes = [axis for axis, side in ((1, "bottom"), (2, "right")) if side in corner]
    return x.flip(axes) if axes else x


def _halved_rotations(K: int, H: int, generator: torch.Generator | None) -> Tensor:
    blocks = [nn.init.orthogonal_(torch.empty(H, H), generator=generator) for _ in range(5 * K)]
    return torch.cat(blocks).view(K, 5 * H, H) / 2
