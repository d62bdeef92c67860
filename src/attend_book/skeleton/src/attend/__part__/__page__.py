"""__open__: what it is, in the field's words, in one sentence.

Source   __open__: the paper, and its equations.
Departs  in nothing.
Agrees   torch.nn.Linear, in values and gradients (tests/__part__/test___page__.py).
"""

from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked
from attend.core.types import Positive


class __Page__(nn.Module):
    """__open__: what it computes. Until then: y_t = W x_t + b.

    Input (B, T, input_size); output (B, T, hidden_size). Raises ValueError for sizes that are not positive.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.from_input = nn.Linear(input_size, hidden_size)

    @checked
    def forward(self, x: Float[Tensor, "B T {self.input_size}"]) -> Float[Tensor, "B T H"]:
        """All time steps."""
        return self.from_input(x)  # (B, T, H)
