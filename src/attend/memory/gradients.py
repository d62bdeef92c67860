"""Why memory fades: how far a summary moves when an earlier one is nudged, and how training keeps its steps short.

Source   Hochreiter 1991; Bengio, Simard & Frasconi 1994; Pascanu, Mikolov & Bengio 2013, arXiv:1211.5063, eqs. 5 and 6.
Departs  the products are kept for every lag, not only summed into one gradient; clipping gives new tensors back.
Agrees   torch.autograd and torch.nn.utils.clip_grad_norm_ (tests/memory/test_gradients.py).
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect, finite
from attend.core.types import NonNegativeFloat, Positive
from attend.memory.elman import RNN


@checked
def spectral_radius(U: Float[Tensor, "H H"]) -> Float[Tensor, ""]:
    """The largest absolute eigenvalue of U: by how much U multiplies, step by step, in the long run."""
    return torch.linalg.eigvals(U).abs().max()


@checked
def with_radius(U: Float[Tensor, "H H"], radius: float) -> Float[Tensor, "H H"]:
    """U, scaled to the spectral radius that is asked for. Raises ValueError when all eigenvalues of U are zero."""
    expect(0 <= radius < float("inf"), "radius", radius, "a finite number that is not negative")
    now = spectral_radius(U)
    expect(bool(now > 0), "U", U, "a matrix with an eigenvalue that is not zero")
    return U * (radius / now)


@checked
def jacobians(
    U: Float[Tensor, "H H"],
    hidden: Float[Tensor, "B T H"],
) -> Float[Tensor, "B T H H"]:
    """∂h_t/∂h_{t-1} = diag(1 - h_t²) U at every step: the slope of the squash, then the recurrent weights."""
    slope = 1 - hidden**2
    return slope[..., None] * U


@checked
def carried(steps: Float[Tensor, "B T H H"]) -> Float[Tensor, "B T H H"]:
    """∂h_T/∂h_t for every t: what is left, at the end, of a nudge to the summary at step t.

    It is the product of the step Jacobians J_T … J_{t+1}; at t = T nothing lies between, and it is the identity.
    """
    B, T, H, _ = steps.shape
    product = torch.eye(H, dtype=steps.dtype).expand(B, H, H)
    products = [product]
    for t in range(T - 1, 0, -1):
        product = product @ steps[:, t]
        products.append(product)
    return torch.stack(products[::-1], dim=1)


@checked
def influence(
    U: Float[Tensor, "H H"], W: Float[Tensor, "H D"], hidden: Float[Tensor, "B T H"]
) -> Float[Tensor, "B T H D"]:
    """∂h_T/∂x_t for every t: how far the last summary moves when the input at step t is nudged."""
    entry = (1 - hidden**2)[..., None] * W
    return carried(jacobians(U, hidden)) @ entry


@checked
def strength(matrices: Float[Tensor, "... N M"]) -> Float[Tensor, "..."]:
    """The largest singular value of each matrix: how long the longest answer to a nudge of length 1 can be."""
    return torch.linalg.matrix_norm(matrices, ord=2)


@checked
def clip(
    gradients: Sequence[Tensor],
    threshold: float,
) -> tuple[list[Tensor], Tensor]:
    """All gradients, shortened together so that their joint length is at most `threshold`; and the length before.

    The length is taken over all tensors at once, so the direction of the step stays as it was.
    """
    _can_be_clipped(gradients, threshold)
    length = torch.stack([gradient.norm() for gradient in gradients]).norm()
    share = min(1.0, threshold / float(length)) if length > 0 else 1.0
    return [gradient * share for gradient in gradients], length


def _can_be_clipped(gradients: Sequence[Tensor], threshold: float) -> None:
    expect(0 < threshold < float("inf"), "threshold", threshold, "a positive finite number")
    expect(len(gradients) > 0, "gradients", gradients, "at least one tensor")
    for gradient in gradients:
        finite("gradients", gradient)


class RecallRNN(nn.Module):
    """An RNN and a linear readout of its last hidden state: one number for a whole sequence.

    The weights of the readout (H) start at zero. They are divided by √H, so that the width does not change how fast
    they learn. `radius` scales the recurrent weights at initialisation, as in RNN.
    """

    @checked
    def __init__(
        self,
        input_size: Positive,
        hidden_size: Positive,
        radius: NonNegativeFloat = 1.0,
        generator: torch.Generator | None = None,
    ):
        super().__init__()
        self.rnn = RNN(input_size, hidden_size, radius, generator)
        self.readout = nn.Parameter(torch.zeros(hidden_size))

    @checked
    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B"]:
        """One number for each sequence."""
        _, last = self.rnn(x)  # (B, H)
        return last @ self.readout / self.rnn.hidden_size**0.5
