"""RNN, GRU and LSTM through torch's own kernels, fed with the parameters of ours.

Agrees   attend.memory.elman, attend.gating.gru and attend.gating.lstm, in values and gradients, under masks, in float64
         and float32 (tests/fast/test_recurrent.py).

Torch's kernels know no mask. Padding at the end of the rows they run over, or leave out (LSTM, as a packed sequence);
under any other mask, and under autocast, the listing itself computes.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence, pad_packed_sequence

from attend.core.expect import checked
from attend.core.types import Mask
from attend.gating.gru import GRU
from attend.gating.lstm import LSTM
from attend.memory.elman import RNN


class FastRNN(RNN):
    """`RNN` through torch's kernel."""

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: Float[Tensor, "B {self.hidden_size}"] | None = None,
        mask: Mask["B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """As `RNN`."""
        if _by_the_listing(x, mask):
            return super().forward(x, state, mask)
        return _at_once(torch.rnn_tanh, self, x, state, mask)


class FastGRU(GRU):
    """`GRU` through torch's kernel."""

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: Float[Tensor, "B {self.hidden_size}"] | None = None,
        mask: Mask["B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """As `GRU`."""
        if _by_the_listing(x, mask):
            return super().forward(x, state, mask)
        return _at_once(torch.gru, self, x, state, mask)


class FastLSTM(LSTM):
    """`LSTM` through torch's kernel, whose gradient cannot be differentiated again: that raises RuntimeError."""

    @checked
    def forward(
        self,
        x: Float[Tensor, "B T {self.input_size}"],
        state: tuple[Float[Tensor, "B {self.hidden_size}"], Float[Tensor, "B {self.hidden_size}"]] | None = None,
        mask: Mask["B T"] | None = None,
    ) -> tuple[Float[Tensor, "B T H"], tuple[Float[Tensor, "B H"], Float[Tensor, "B H"]]]:
        """As `LSTM`."""
        if _by_the_listing(x, mask):
            return super().forward(x, state, mask)
        h, c = (x.new_zeros(len(x), self.hidden_size),) * 2 if state is None else state
        if mask is None:
            first = [h[None], c[None]]
            outputs, h, c = torch.lstm(x, first, _weights(self), True, 1, 0.0, self.training, False, True)
            h, c = h[0], c[0]
        else:
            packed = pack_padded_sequence(x, mask.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False)
            _, sizes, order, back = packed
            first = [h[None, order], c[None, order]]
            data, h, c = torch.lstm(packed.data, sizes, first, _weights(self), True, 1, 0.0, self.training, False)
            steps = PackedSequence(data, sizes, order, back)
            outputs, _ = pad_packed_sequence(steps, batch_first=True, total_length=x.shape[1])
            h, c = h[0, back], c[0, back]
            outputs = torch.where(mask[..., None], outputs, h[:, None])
        for result in (outputs, h, c):
            if result.requires_grad:
                result.register_hook(_refuse_a_second_derivative)
        return outputs, (h, c)


def _by_the_listing(x: Tensor, mask: Tensor | None) -> bool:
    """True where torch's kernels do something else: under a mask with holes, and under autocast."""
    holes = mask is not None and bool((mask[:, 1:] & ~mask[:, :-1]).any())
    return holes or torch.is_autocast_enabled(x.device.type)


def _weights(cell: RNN | GRU | LSTM) -> list[Tensor]:
    """W, U and b as torch wants them, with its second bias at zero."""
    W, b = cell.from_input.weight, cell.from_input.bias
    return [W, cell.from_hidden.weight, b, torch.zeros_like(b, requires_grad=False)]


def _at_once(kernel, cell: RNN | GRU, x: Tensor, state: Tensor | None, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """All steps by torch's kernel; after the last real step of a row its hidden state is handed on."""
    h = x.new_zeros(len(x), cell.hidden_size) if state is None else state
    outputs, _ = kernel(x, h[None], _weights(cell), True, 1, 0.0, cell.training, False, True)
    if mask is not None:
        rows = torch.arange(len(x), device=x.device)
        last = outputs[rows, mask.sum(dim=1) - 1]
        outputs = torch.where(mask[..., None], outputs, last[:, None])
    return outputs, outputs[:, -1]


def _refuse_a_second_derivative(gradient: Tensor) -> None:
    if torch.is_grad_enabled():  # that is, under create_graph=True
        raise RuntimeError("torch's fused LSTM has no second derivative; use the listing, LSTM, without fast(…)")
