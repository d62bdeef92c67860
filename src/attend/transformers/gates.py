"""From gates to attention: a gated state is a weighted mean of candidates, and so is what attention reads.

Source   lecture erdem2021attention (four steps); Levy et al. 2018, arXiv:1805.03716 (the weighted sum in an LSTM);
         Lin et al. 2025, arXiv:2503.02130 (forget gates in attention); Katharopoulos et al. 2020, arXiv:2006.16236,
         eq. 7 (linear attention).
Departs  the forgetting Transformer has more around its attention (output gates, norms, convolutions).
Agrees   torch.nn.MultiheadAttention under a causal mask, a gated update taken step by step, linear attention taken
         step by step, in values and gradients (tests/transformers/test_gates.py).
"""

from typing import Annotated

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn import functional as F

from attend.core.expect import checked, expect
from attend.core.types import Positive, Rule

Gates = Annotated[Float[Tensor, "B T H"], Rule("gates from 0 to 1", lambda z: bool(((z >= 0) & (z <= 1)).all()))]


@checked
def gated_update(update: Gates, candidate: Float[Tensor, "B T H"]) -> Float[Tensor, "B T H"]:
    """All hidden states of a gated update, one after the other: h_t = z_t ⊙ h_{t-1} + (1 - z_t) ⊙ h̃_t, with h_0 = 0."""
    h, hidden = torch.zeros_like(candidate[:, 0]), []
    for t in range(candidate.shape[1]):
        z, c = update[:, t], candidate[:, t]
        h = z * h + (1 - z) * c  # (B, H)
        hidden.append(h)
    return torch.stack(hidden, dim=1)  # (B, T, H)


@checked
def gate_weights(update: Gates) -> Float[Tensor, "B T T H"]:
    """The weight of candidate i in hidden state t: (1 - z_i) times the product of z_j from i + 1 to t; 0 for i > t."""
    row, rows = torch.zeros_like(update), []
    for t, z in enumerate(update.unbind(dim=1)):
        row = z[:, None] * row  # everything that was there fades
        new = 1 - z[:, None]
        row = torch.cat([row[:, :t], new, row[:, t + 1 :]], dim=1)
        rows.append(row)
    return torch.stack(rows, dim=1)  # (B, T, T, H)


class GatedAttention(nn.Module):
    """Causal self-attention by `num_heads` heads; with `forget`, each head has a forget gate for every step.

    The score of step i for step t is q_t · k_i / √d, plus the logarithms of the gates after i, up to t: what passed
    many gates, or a closed one, counts less. Input (B, T, input_size); output (B, T, hidden_size) and the weights
    (B, heads, T, T). Forget gates start at σ(`FORGET_BIAS`). Raises ValueError unless num_heads divides hidden_size.
    """

    FORGET_BIAS = 2.0

    @checked
    def __init__(self, input_size: Positive, hidden_size: Positive, num_heads: Positive = 1, forget: bool = False):
        expect(hidden_size % num_heads == 0, "num_heads", num_heads, f"a number that divides {hidden_size}")
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_heads = num_heads
        self.q_proj = nn.Linear(input_size, hidden_size)  # for all heads
        self.k_proj = nn.Linear(input_size, hidden_size)
        self.v_proj = nn.Linear(input_size, hidden_size)
        self.out_proj = nn.Linear(hidden_size, hidden_size)
        self.forget = nn.Linear(input_size, num_heads) if forget else None

    def split(self, x: Tensor) -> Tensor:
        """One head beside the other, (B, T, H) to (B, heads, T, d)."""
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def bias(self, x: Tensor) -> Tensor:
        """What is added to every score: what passes the gates after step i, up to t; nothing later is attended to."""
        T = x.shape[1]
        if self.forget is None:
            passed = x.new_zeros(1, 1, T, T)
        else:
            log_z = F.logsigmoid(self.forget(x) + self.FORGET_BIAS)
            upto = log_z.mT.cumsum(dim=-1)  # (B, heads, T)
            # the sum of log z from i + 1 to t
            passed = upto[..., :, None] - upto[..., None, :]
        later = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)
        return passed.masked_fill(later, -torch.inf)  # (B, heads, T, T)

    def weights(self, x: Tensor) -> Tensor:
        """How much each step attends to each step before it and to itself."""
        query, key = self.split(self.q_proj(x)), self.split(self.k_proj(x))
        scores = query @ key.mT / query.shape[-1] ** 0.5  # (B, heads, T, T)
        return (scores + self.bias(x)).softmax(dim=-1)

    @checked
    def forward(
        self, x: Float[Tensor, "B T {self.input_size}"]
    ) -> tuple[Float[Tensor, "B T {self.hidden_size}"], Float[Tensor, "B {self.num_heads} T T"]]:
        """All steps at once."""
        weights = self.weights(x)
        mixed = weights @ self.split(self.v_proj(x))  # (B, heads, T, d)
        return self.out_proj(mixed.transpose(1, 2).flatten(2)), weights


class LinearAttention(GatedAttention):
    """The same layer with φ(q) · φ(k), φ = elu + 1, in the place of exp(q · k / √d).

    A sum of products can be carried from step to step, so that a state of d (d + 1) numbers a head takes the place of
    all keys and values.
    """

    def weights(self, x: Tensor) -> Tensor:
        """How much each step attends to each step before it and to itself."""
        query = F.elu(self.split(self.q_proj(x))) + 1
        key = F.elu(self.split(self.k_proj(x))) + 1
        scores = query @ key.mT * self.bias(x).exp()  # (B, heads, T, T)
        return scores / scores.sum(dim=-1, keepdim=True)
