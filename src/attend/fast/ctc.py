"""The CTC loss by torch's own kernel, which runs forward and backward through the lattice in C++.

Agrees   attend.soft.ctc.CTCLoss, in values and gradients (tests/fast/test_ctc.py).
"""

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import ctc_loss

from attend.core.expect import checked
from attend.core.types import Lengths
from attend.soft.ctc import CTCLoss


class FastCTCLoss(CTCLoss):
    """A CTCLoss whose forward takes a tenth of the time, or less."""

    @checked
    def forward(
        self,
        log_probs: Float[Tensor, "B T V"],
        mask: Lengths["B T"],
        target: Int[Tensor, "B L"],
        asked: Lengths["B L"],
    ) -> Float[Tensor, ""]:
        """What CTCLoss's forward returns."""
        return ctc_loss(log_probs.transpose(0, 1), target, mask.sum(dim=1), asked.sum(dim=1))
