"""Coin flips: two numbers that remember all that a stream of flips can tell.

Source   Fisher 1922, On the mathematical foundations of theoretical statistics; lecture sankaran2019part5.
Departs  the summary keeps the number of flips beside the heads; the lecture's proportion alone is not enough.
Agrees   scipy.stats.beta, and brute force over all series of 8 flips (tests/memory/test_coin.py).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from attend.core.expect import checked, expect
from attend.core.types import Positive
from attend.memory.elman import RNN


@checked
def start(batch: int) -> Float[Tensor, "B 2"]:
    """The summary of no flips: 0 heads of 0 flips, for each of `batch` streams."""
    expect(batch > 0, "batch", batch, "a positive whole number")
    return torch.zeros(batch, 2, dtype=torch.float64)


@checked
def update(
    summary: Float[Tensor, "B 2"],
    flip: Float[Tensor, "B"],
) -> Float[Tensor, "B 2"]:
    """One flip (1 heads, 0 tails) joins the summary (heads, flips)."""
    _are_flips(flip)
    return summary + torch.stack([flip, torch.ones_like(flip)], dim=-1)


@checked
def summarise(flips: Float[Tensor, "B T"]) -> Float[Tensor, "B 2"]:
    """The same summary from all flips at once: (heads, flips)."""
    _are_flips(flips)
    return torch.stack([flips.sum(-1), torch.full_like(flips[:, 0], flips.shape[1])], dim=-1)


@checked
def predict(summary: Float[Tensor, "B 2"]) -> Float[Tensor, "B"]:
    """The probability that the next flip is heads, when every bias was equally likely beforehand.

    This is the mean of the Beta(heads + 1, tails + 1) posterior: Laplace's rule of succession.
    """
    heads, flips = summary.unbind(-1)
    return (heads + 1) / (flips + 2)


@checked
def log_likelihood(summary: Float[Tensor, "B 2"], bias: Float[Tensor, "P"]) -> Float[Tensor, "B P"]:
    """How probable the flips are for each bias (the probability of heads, between 0 and 1), in nats."""
    expect(bool(((bias > 0) & (bias < 1)).all()), "bias", bias, "probabilities strictly between 0 and 1")
    heads, flips = summary.unsqueeze(-1).unbind(1)
    return heads * bias.log() + (flips - heads) * (1 - bias).log()


class CoinRNN(nn.Module):
    """An RNN that reads flips one by one, and after each of them gives the logit that the next one is heads.

    It starts from U = I and small W (Le, Jaitly & Hinton 2015), so that at first the hidden state is kept and each flip
    changes it a little; the readout starts at zero. Raises ValueError unless `hidden_size` is positive.
    """

    @checked
    def __init__(self, hidden_size: Positive, generator: torch.Generator | None = None):
        super().__init__()
        self.rnn = RNN(1, hidden_size, generator=generator)
        nn.init.eye_(self.rnn.from_hidden.weight)
        self.rnn.from_input.weight.data.mul_(0.3)
        self.readout = nn.Linear(hidden_size, 1)
        nn.init.zeros_(self.readout.weight)
        nn.init.zeros_(self.readout.bias)

    def step(self, flip: Tensor, h: Tensor) -> tuple[Tensor, Tensor]:
        """One flip (B) and the hidden state (B, H) give the logit of heads next (B), and the new hidden state."""
        h = self.rnn.step(2 * flip.unsqueeze(-1) - 1, h)
        return self.readout(h).squeeze(-1), h

    @checked
    def forward(self, flips: Float[Tensor, "B T"]) -> tuple[Float[Tensor, "B T"], Float[Tensor, "B T H"]]:
        """The logit of heads after each of the flips, and the hidden states from which it was read."""
        _are_flips(flips)
        hidden, _ = self.rnn(2 * flips.unsqueeze(-1) - 1)  # -1 and 1 in place of 0 and 1
        return self.readout(hidden).squeeze(-1), hidden


def _are_flips(flips: Tensor) -> None:
    name = "flip" if flips.ndim == 1 else "flips"
    expect(bool(((flips == 0) | (flips == 1)).all()), name, flips, "only 0 (tails) and 1 (heads)")
