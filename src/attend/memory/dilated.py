"""Dilated causal convolutions: no hidden state; each layer looks back twice as far as the one below.

Source   van den Oord et al. 2016, WaveNet, arXiv:1609.03499: causal convolutions whose dilation doubles.
Departs  tanh and a residual connection in the place of gated units; no skips to the output.
Agrees   the reach of 2^layers steps and no further, and the sum written out for one layer, in values and gradients
         (tests/memory/test_dilated.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import Positive


class Dilated(nn.Module):
    """A stack of convolutions; layer k combines each step with the one 2^k steps before it.

    Input (B, T, input_size); output (B, T, hidden_size), where each step has seen itself and the 2^layers - 1 steps
    before it, and None, for there is no state. Weights start as torch.nn.Conv1d draws them. Raises ValueError for sizes
    that are not positive.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, layers: Positive):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        sizes = [input_size] + [hidden_size] * (layers - 1)
        self.layers = nn.ModuleList(
            nn.Conv1d(size, hidden_size, kernel_size=2, dilation=2**k) for k, size in enumerate(sizes)
        )

    @checked
    def forward(self, x: Float[Tensor, "B T {self.input_size}"]) -> tuple[Float[Tensor, "B T H"], None]:
        """All steps at once."""
        h = x.mT  # (B, D, T), as Conv1d wants it
        for k, layer in enumerate(self.layers):
            new = torch.tanh(layer(F.pad(h, (2**k, 0))))  # zeros before the start: nothing sees the future
            h = new if k == 0 else h + new
        return h.mT, None
