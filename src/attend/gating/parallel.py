"""Recurrent layers whose steps need not wait for each other: minGRU, and a linear recurrence without any gate.

Source   minGRU: Feng et al. 2024, arXiv:2410.01201, section 3.1; the linear recurrence: the LRU of Orvieto et al. 2023,
         arXiv:2303.06349; the scan: Hillis & Steele 1986.
Departs  z keeps, as in attend.gating.gru (in the paper it takes in); the recurrence reads its input through a layer
         with ReLU, shows the real part of its state, and starts with the time scales of attend.gating.gru.
Agrees   the same layers step by step, in values and gradients (tests/gating/test_parallel.py).
"""

import torch
from jaxtyping import Complex, Float, Inexact
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked
from attend.core.types import AtLeast2, Positive
from attend.gating.gru import time_scales


@checked
def scan(decay: Inexact[Tensor, "B T H"], inputs: Inexact[Tensor, "B T H"]) -> Inexact[Tensor, "B T H"]:
    """h_t = decay_t ⊙ h_{t-1} + inputs_t from h_0 = 0, for all t at once, in log2(T) rounds; real or complex numbers.

    After round k, `inputs` at t is the state that a start at 0, 2^k steps before, would give, and `decay` what is left
    of a state after these 2^k steps.
    """
    distance = 1
    while distance < inputs.shape[1]:
        now, before = slice(distance, None), slice(None, -distance)
        added = decay[:, now] * inputs[:, before]
        inputs = torch.cat([inputs[:, :distance], inputs[:, now] + added], dim=1)
        decay = torch.cat([decay[:, :distance], decay[:, now] * decay[:, before]], dim=1)
        distance *= 2
    return inputs


class MinGRU(nn.Module):
    """One layer of minGRU: no reset gate, no tanh, and an update gate that reads the input alone.

        z = σ(W_z x_t + b_z)                        update gate
        n = W_n x_t + b_n                           candidate
        h_t = z ⊙ h_{t-1} + (1 - z) ⊙ n

    Input (B, T, input_size); output (B, T, hidden_size) and the last hidden state (B, hidden_size). Raises ValueError
    for sizes that are not positive.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.from_input = nn.Linear(input_size, 2 * hidden_size)  # no U

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], state: Float[Tensor, "B {self.hidden_size}"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Float[Tensor, "B H"]]:
        """All time steps at once; without `state` the hidden state starts at zero."""
        z, candidate = self.from_input(x).chunk(2, dim=-1)  # (B, T, H) each
        update = torch.sigmoid(z)
        h = scan(update, (1 - update) * candidate)
        if state is not None:
            h = h + update.cumprod(dim=1) * state[:, None]  # what is left of it
        return h, h[:, -1]


class LinearRecurrence(nn.Module):
    """A linear recurrent unit: h_t = λ ⊙ h_{t-1} + γ ⊙ B relu(A x_t + a), H complex numbers λ in the unit circle.

    λ is learned and the same at every step: nothing is gated, and between steps stands no nonlinearity. |λ| starts at 1
    - 1/τ with time scales τ from 2 to `longest` steps, the angles evenly below π/10; γ = √(1 - |λ|²) keeps the size of
    the state. Input (B, T, input_size); output the real parts (B, T, hidden_size), and the last state (B, hidden_size),
    complex. Raises ValueError for sizes that are not positive and for `longest` below 2.
    """

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, longest: AtLeast2 = 100.0):
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.features = nn.Linear(input_size, hidden_size)  # A, a
        self.from_features = nn.Linear(hidden_size, hidden_size, bias=False)  # B
        rate = -torch.log(1 - 1 / time_scales(hidden_size, longest))
        self.log_rate = nn.Parameter(rate.log())  # |λ| = exp(-rate) < 1
        self.angle = nn.Parameter(torch.rand(hidden_size) * torch.pi / 10)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"], state: Complex[Tensor, "B {self.hidden_size}"] | None = None
    ) -> tuple[Float[Tensor, "B T H"], Complex[Tensor, "B H"]]:
        """All time steps at once; without `state` the state starts at zero."""
        size = torch.exp(-self.log_rate.exp())
        decay = torch.polar(size, self.angle).expand(*x.shape[:2], -1)  # λ at each (B, T)
        u = self.from_features(F.relu(self.features(x)))
        h = scan(decay, (1 - size**2).sqrt() * u.to(decay.dtype))
        if state is not None:
            h = h + decay.cumprod(dim=1) * state[:, None]
        return h.real, h[:, -1]
