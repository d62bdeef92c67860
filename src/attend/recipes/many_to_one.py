"""A layer over time with a linear head on its last step: how recipes ask one answer of a whole sequence."""

from torch import Tensor, nn


class ManyToOne(nn.Module):
    """A recurrent layer, and a linear head on its last hidden state: (B, outputs) for (B, T, D)."""

    def __init__(self, layer: nn.Module, outputs: int):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(layer.hidden_size, outputs)

    def forward(self, x: Tensor) -> Tensor:
        """The head's numbers for each sequence."""
        return self.head(self.layer(x)[0][:, -1])
