"""Five networks with one interface, (B, T, D) to the logits of C classes, that take different things for granted.

Source   Battaglia et al. 2018, arXiv:1806.01261, table 1 (what layers assume); the layers are torch's own.
Departs  the classifiers around the layers are as small as can be: one or two layers and a linear answer.
Agrees   the gradients of each with what the page's table says it can connect (tests/transformers/test_priors.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import AtLeast2, Positive


class LinearNet(nn.Module):
    """One linear layer over all T x D numbers side by side."""

    @checked
    def __init__(self, T: Positive, D: Positive, C: Positive):
        super().__init__()
        self.T, self.D = T, D
        self.output = nn.Linear(T * D, C)

    @checked
    def forward(self, x: Float[Tensor, "B {self.T} {self.D}"]) -> Float[Tensor, "B C"]:
        """The logits."""
        return self.output(x.flatten(1))


class DenseNet(nn.Module):
    """A hidden layer of H units over all T x D numbers side by side: a multilayer perceptron."""

    @checked
    def __init__(self, T: Positive, D: Positive, C: Positive, H: Positive):
        super().__init__()
        self.T, self.D = T, D
        self.hidden, self.output = nn.Linear(T * D, H), nn.Linear(H, C)

    @checked
    def forward(self, x: Float[Tensor, "B {self.T} {self.D}"]) -> Float[Tensor, "B C"]:
        """The logits."""
        return self.output(self.hidden(x.flatten(1)).relu())


class ConvNet(nn.Module):
    """Two convolutions that read three neighbours each, and the maximum of each of H channels over the sequence."""

    @checked
    def __init__(self, T: Positive, D: Positive, C: Positive, H: Positive):
        super().__init__()
        self.conv1 = nn.Conv1d(D, H, kernel_size=3, padding=1)
        self.conv2 = nn.Conv1d(H, H, kernel_size=3, padding=1)
        self.output = nn.Linear(H, C)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.conv1.in_channels}"]) -> Float[Tensor, "B C"]:
        """The logits."""
        h = self.conv1(x.transpose(1, 2)).relu()  # (B, H, T)
        h = self.conv2(h).relu()  # (B, H, T)
        return self.output(h.amax(dim=2))


class RecurrentNet(nn.Module):
    """A GRU; the answer is read from its last hidden state."""

    @checked
    def __init__(self, T: Positive, D: Positive, C: Positive, H: Positive):
        super().__init__()
        self.gru = nn.GRU(D, H, batch_first=True)
        self.output = nn.Linear(H, C)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.gru.input_size}"]) -> Float[Tensor, "B C"]:
        """The logits."""
        h, _ = self.gru(x)  # (B, T, H)
        return self.output(h[:, -1])


class AttentionNet(nn.Module):
    """Two Transformer blocks over inputs with learned positions; the answer is read at the last step."""

    @checked
    def __init__(self, T: Positive, D: Positive, C: Positive, H: Positive, num_heads: Positive = 2):
        super().__init__()
        self.embed = nn.Linear(D, H)
        self.position = nn.Parameter(0.1 * torch.randn(T, H))
        block = {"dim_feedforward": 5 * H // 3, "dropout": 0.0, "batch_first": True}
        self.block1 = nn.TransformerEncoderLayer(H, num_heads, **block)
        self.block2 = nn.TransformerEncoderLayer(H, num_heads, **block)
        self.output = nn.Linear(H, C)

    @checked
    def forward(self, x: Float[Tensor, "B {len(self.position)} {self.embed.in_features}"]) -> Float[Tensor, "B C"]:
        """The logits."""
        h = self.embed(x) + self.position  # (B, T, H)
        h = self.block2(self.block1(h))  # (B, T, H)
        return self.output(h[:, -1])


@checked
@torch.no_grad()
def chrono_(gru: nn.GRU, longest: AtLeast2) -> nn.GRU:
    """Chrono initialisation, in place: units of the first layer start with time scales from 2 to `longest` steps."""
    H = gru.hidden_size
    scales = 2 * (longest / 2) ** torch.linspace(0, 1, H)  # in steps
    gru.bias_ih_l0[H : 2 * H] = (scales - 1).log()  # reset, update, candidate
    gru.bias_hh_l0[H : 2 * H] = 0
    return gru
